import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Question from "./Question.ts"
import * as Wire from "./schema/generated/AcpSchema.ts"

/** A decision the agent waits for: whether a tool may run, or, with `questions`, what a person answers. */
export interface PermissionRequest {
  /** Names this request and no other, also across connections; the same question asked anew has a new one. */
  readonly requestId: string
  readonly sessionId: string
  readonly toolCall: Wire.ToolCallUpdate
  /** What may be chosen; a kind that this version does not know is kept. */
  readonly options: ReadonlyArray<Wire.PermissionOption>
  readonly questions: ReadonlyArray<Question.Question>
}

/** What is answered to a permission request. */
export type Answer =
  | { readonly _tag: "Selected"; readonly optionId: string; readonly answers?: Question.Answers }
  | { readonly _tag: "Cancelled" }

/** Chooses an option; `answers` go along when the request asks questions. */
export const selected = (optionId: string, answers?: Question.Answers): Answer => ({
  _tag: "Selected",
  optionId,
  ...(answers === undefined ? {} : { answers })
})

/** Takes no decision, because the turn is cancelled. */
export const cancelled: Answer = { _tag: "Cancelled" }

/** Reads the params of a `session/request_permission`; undefined when no tool call or no options can be read. */
export const fromParams = (requestId: string, params: unknown): PermissionRequest | undefined => {
  const request = Option.getOrUndefined(decode(params))
  if (request === undefined) return undefined
  const { sessionId, toolCall, options } = request
  return { requestId, sessionId, toolCall, options, questions: Question.fromRawInput(toolCall.rawInput) }
}

/** The result of `session/request_permission`; answers to questions stand in the outcome and in `_meta` (spec 6). */
export const toResult = (answer: Answer): unknown => {
  if (answer._tag === "Cancelled") return { outcome: { outcome: "cancelled" } }
  const { optionId, answers } = answer
  if (answers === undefined) return { outcome: { outcome: "selected", optionId } }
  return { outcome: { outcome: "selected", optionId, answers }, _meta: { answers } }
}

const decode = Schema.decodeUnknownOption(Wire.RequestPermissionRequest, { onExcessProperty: "preserve" })
