import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Open from "../../schema/Open.ts"
import type { SessionState } from "../../SessionModel.ts"
import { safeDecoder } from "../SafeDecode.ts"

/**
 * Reads the `models` in an agent's answer to opening a session. The protocol has them no longer, and several agents have
 * nothing else.
 */
export const read = (answer: object): Pick<SessionState, "model" | "models"> | undefined =>
  Option.match(decode("models" in answer ? answer.models : undefined), {
    onNone: () => undefined,
    onSome: ({ availableModels, currentModelId }) => ({
      model: currentModelId,
      models: availableModels.map(({ description, modelId, name }) => ({
        id: modelId,
        name: name ?? modelId,
        description
      }))
    })
  })

const decode = safeDecoder(
  Schema.Struct({
    currentModelId: Schema.String,
    availableModels: Open.lenientItems(
      Schema.Struct({
        modelId: Schema.String,
        name: Open.lenient(Schema.String),
        description: Open.lenient(Schema.NullOr(Schema.String))
      })
    )
  })
)
