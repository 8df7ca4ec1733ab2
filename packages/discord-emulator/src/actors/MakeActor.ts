import type { Context } from "../context/Context.ts"
import { accountActions } from "./AccountActions.ts"
import type { Actor } from "./Actor.ts"
import type { ActorScope } from "./ActorScope.ts"
import { interactionActions } from "./InteractionActions.ts"
import { messageActions } from "./MessageActions.ts"

/** Makes the actor of a user. */
export const makeActor = (context: Context, id: string): Actor => {
  const scope: ActorScope = { context, id }
  return {
    id,
    username: context.store.users.get(id)?.username ?? id,
    ...messageActions(scope),
    ...interactionActions(scope),
    ...accountActions(scope)
  }
}
