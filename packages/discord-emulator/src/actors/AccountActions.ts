import type { StoredUser } from "../model/Records.ts"
import { openDirectChannel } from "../resources/channels/DirectChannels.ts"
import type { Actor } from "./Actor.ts"
import { withActorErrors } from "./ActorError.ts"
import type { ActorScope } from "./ActorScope.ts"
import { requestAs } from "./Request.ts"

/** What a person does with their own account and membership. */
type AccountActions = Pick<Actor, "openDirect" | "allowDirect" | "speak" | "leave" | "join" | "request">

export const accountActions = ({ context, id }: ActorScope): AccountActions => {
  const { members, store } = context
  const setUser = (change: Partial<StoredUser>): void => {
    const user = store.users.get(id)
    if (user !== undefined) store.commit({ kind: "user", value: { ...user, ...change } })
  }
  return {
    openDirect: async () => withActorErrors(() => openDirectChannel(store, id).id),
    allowDirect: (allow) => setUser({ blocksDirectMessages: !allow }),
    speak: (locale) => setUser({ locale }),
    leave: async () => withActorErrors(() => members.remove(members.find(id), id)),
    join: async () => members.join(id),
    request: async (method, path, body) => withActorErrors(() => requestAs(context, id, method, path, body))
  }
}
