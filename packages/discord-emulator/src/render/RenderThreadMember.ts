import type { StoredChannel } from "../model/Records.ts"

/** The thread member object of a user, if the user is in the thread. */
export const renderThreadMember = ({ id, thread }: StoredChannel, userId: string): object | undefined =>
  thread?.memberIds.includes(userId) === true
    ? { id, user_id: userId, join_timestamp: thread.joined?.[userId] ?? thread.createTimestamp, flags: 0 }
    : undefined
