import type { APIMessage, APIModalInteractionResponseCallbackData } from "discord-api-types/v10"
import type { Context } from "../context/Context.ts"
import type { FirstResponse } from "../resources/interactions/InteractionTypes.ts"
import { tokenMs } from "../state/ApplyChange.ts"
import { ActorError } from "./ActorError.ts"

/** The first response of an application. */
export interface InteractionResult {
  readonly id: string
  readonly type: "message" | "deferred" | "update" | "modal" | "failed"
  readonly message?: APIMessage
  readonly modal?: APIModalInteractionResponseCallbackData
  readonly error?: string
  /** Resolves with the response message once it has content; rejects when a deferred response is never filled. */
  readonly settled: () => Promise<APIMessage>
}

/** The application sent no first response in time. */
export class InteractionFailed extends ActorError {
  override readonly name = "InteractionFailed"
  readonly result: InteractionResult

  constructor(result: InteractionResult) {
    super(result.error ?? "The application did not respond")
    this.result = result
  }
}

/** The first response as the person receives it. */
export const resultOf = (context: Context, userId: string, response: FirstResponse): InteractionResult => {
  const { error, id, message, modal, type } = response
  return {
    id,
    type: type === "choices" ? "failed" : type,
    ...(message === undefined ? {} : { message: context.render.message(message, userId) }),
    ...(modal === undefined ? {} : { modal }),
    ...(error === undefined ? {} : { error }),
    settled: () => waitUntilSettled(context, userId, response)
  }
}

/** Waits until the deferred response has content. */
const waitUntilSettled = ({ render, store }: Context, userId: string, response: FirstResponse): Promise<APIMessage> =>
  new Promise((resolve, reject) => {
    const check = (): boolean => {
      const interaction = store.interactions.get(response.id)
      if (interaction?.originalId === undefined) {
        reject(new ActorError(response.error ?? "The interaction was not answered with a message"))
        return true
      }
      if (interaction.pending === true) return false
      const message = store.messages.get(interaction.channelId, interaction.originalId)
      if (message === undefined) reject(new ActorError("The answer was deleted"))
      else resolve(render.message(message, userId))
      return true
    }
    if (check()) return
    const stopListening = store.listen(({ change }) => {
      if (change.kind === "interaction" && change.value.id === response.id && check()) stopWaiting()
    })
    const cancelTimeout = store.clock.after(tokenMs, () => {
      stopWaiting()
      reject(new ActorError("The answer stayed deferred until its token expired"))
    })
    const stopWaiting = (): void => {
      stopListening()
      cancelTimeout()
    }
  })
