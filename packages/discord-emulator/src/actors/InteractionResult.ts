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
export const resultOf = (context: Context, userId: string, answer: FirstResponse): InteractionResult => {
  const { error, id, message, modal, type } = answer
  return {
    id,
    type: type === "choices" ? "failed" : type,
    ...(message === undefined ? {} : { message: context.render.message(message, userId) }),
    ...(modal === undefined ? {} : { modal }),
    ...(error === undefined ? {} : { error }),
    settled: () => settled(context, userId, answer)
  }
}

/** Waits until the deferred response has content. */
const settled = ({ render, store }: Context, userId: string, answer: FirstResponse): Promise<APIMessage> =>
  new Promise((resolve, reject) => {
    const look = (): boolean => {
      const interaction = store.interactions.get(answer.id)
      if (interaction?.originalId === undefined) {
        reject(new ActorError(answer.error ?? "The interaction was not answered with a message"))
        return true
      }
      if (interaction.pending === true) return false
      const message = store.messages.get(interaction.channelId, interaction.originalId)
      if (message === undefined) reject(new ActorError("The answer was deleted"))
      else resolve(render.message(message, userId))
      return true
    }
    if (look()) return
    const stop = store.listen(({ change }) => {
      if (change.kind === "interaction" && change.value.id === answer.id && look()) end()
    })
    const cancel = store.clock.after(tokenMs, () => {
      end()
      reject(new ActorError("The answer stayed deferred until its token expired"))
    })
    const end = (): void => {
      stop()
      cancel()
    }
  })
