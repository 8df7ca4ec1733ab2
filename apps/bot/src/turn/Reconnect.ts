import * as Effect from "effect/Effect"
import { Accounts } from "../access/Accounts.ts"
import { Permissions } from "../store/Permissions.ts"
import type { OpenTurn } from "./OpenTurn.ts"

/**
 * Asks the owner of a task to connect an account, and waits until they have. An owner who has disconnected the account
 * answers its agent no more: what it asks is withdrawn.
 */
export const askToConnect = Effect.fnUntraced(function* ({ entry, messages, state, thread: { ownerId } }: OpenTurn) {
  const accounts = yield* Accounts
  const customId = "c1:connect"
  if (yield* accounts.hasNoAccount(ownerId)) {
    const permissions = yield* Permissions
    yield* permissions.withdrawAll(entry.eventId)
    const text = messages.connectAfterDisconnecting(ownerId)
    state.set({
      notice: { _tag: "Reconnect", text, customId, disconnected: true },
      permissions: yield* permissions.ofTurn(entry.eventId)
    })
  } else state.set({ notice: { _tag: "Reconnect", text: messages.connectAgain(ownerId), customId } })
  yield* accounts.awaitConnected(ownerId)
})
