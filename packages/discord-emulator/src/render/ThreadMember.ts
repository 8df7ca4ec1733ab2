import type { StoredChannel } from "../model/Records.ts"
import type { World } from "../state/World.ts"

type Thread = NonNullable<StoredChannel["thread"]>

/** A thread with one member more. */
export const joining = (world: World, thread: Thread, userId: string): Thread => ({
  ...thread,
  memberIds: [...thread.memberIds, userId],
  joined: { ...thread.joined, [userId]: world.timestamp() }
})

/** The thread member object of somebody, if they are in the thread. */
export const membership = ({ id, thread }: StoredChannel, userId: string): object | undefined =>
  thread?.memberIds.includes(userId) === true
    ? { id, user_id: userId, join_timestamp: thread.joined?.[userId] ?? thread.createTimestamp, flags: 0 }
    : undefined
