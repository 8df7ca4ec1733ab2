import type { StoredChannel } from "../model/Records.ts"
import type { Store } from "./Store.ts"

type Thread = NonNullable<StoredChannel["thread"]>

/** The thread with one more member, who joins now. */
export const withThreadMember = (store: Store, thread: Thread, userId: string): Thread => ({
  ...thread,
  memberIds: [...thread.memberIds, userId],
  joined: { ...thread.joined, [userId]: store.timestamp() }
})

/** The thread without one of its members. */
export const withoutThreadMember = (thread: Thread, userId: string): Thread => ({
  ...thread,
  memberIds: thread.memberIds.filter((id) => id !== userId)
})
