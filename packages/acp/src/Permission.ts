import * as Option from "effect/Option"
import * as Question from "./Question.ts"
import { safeDecoder } from "./internal/SafeDecode.ts"
import * as Wire from "./schema/generated/AcpSchema.ts"

/**
 * How an agent asks a person: `session/request_permission` (whose tool call may carry the questions of an
 * AskUserQuestion), the vendor's own question request, or the form of an `elicitation/create`.
 */
export type Form = "permission" | "question" | "elicitation"

/** A decision the agent waits for: whether a tool may run, or, with `questions`, what a person answers. */
export interface PermissionRequest {
  /** Names this request and no other, also across connections; the same question asked anew has a new one. */
  readonly requestId: string
  readonly form: Form
  /** The session that asks; undefined when the request belongs to none. */
  readonly sessionId: string | undefined
  /** What it is about; always there in the form "permission". */
  readonly toolCall?: Wire.ToolCallUpdate
  /** The agent's own words, where the form has some. */
  readonly message?: string
  /** What may be chosen, in the form "permission"; a kind that this version does not know is kept. */
  readonly options: ReadonlyArray<Wire.PermissionOption>
  readonly questions: ReadonlyArray<Question.Question>
}

/** What is answered to a request. */
export type Answer =
  | { readonly _tag: "Selected"; readonly optionId: string; readonly answers?: Question.Answers }
  | { readonly _tag: "Answered"; readonly answers: Question.Answers }
  | { readonly _tag: "Declined" }
  | { readonly _tag: "Expired" }
  | { readonly _tag: "Cancelled" }

/** Chooses an option; `answers` go along when the request asks questions. */
export const selected = (optionId: string, answers?: Question.Answers): Answer => ({
  _tag: "Selected",
  optionId,
  ...(answers === undefined ? {} : { answers })
})

/** Answers the questions, whatever form they came in. */
export const answered = (answers: Question.Answers): Answer => ({ _tag: "Answered", answers })

/** Says no: the mildest refusal that is offered. */
export const declined: Answer = { _tag: "Declined" }

/** Nobody answered in time, which is a refusal where one is offered: an agent goes on after that. */
export const expired: Answer = { _tag: "Expired" }

/** Takes no decision, because the turn is cancelled. */
export const cancelled: Answer = { _tag: "Cancelled" }

/** Recognises a request of the agent that asks a person, under the vendor's prefix. */
export const formOf = (method: string, extensionPrefix: string): Form | undefined => {
  switch (method) {
    case "session/request_permission":
      return "permission"
    case "elicitation/create":
      return "elicitation"
    case `${extensionPrefix}/question`:
      return "question"
    default:
      return undefined
  }
}

/** Reads a request of any form; undefined when it asks nothing that can be shown: no tool call, no options, no fields. */
export const fromRequest = (form: Form, requestId: string, params: unknown): PermissionRequest | undefined => {
  switch (form) {
    case "permission":
      return fromParams(requestId, params)
    case "question":
      return fromQuestion(requestId, params)
    case "elicitation":
      return fromElicitation(requestId, params)
  }
}

/** Reads the params of a `session/request_permission`; undefined when no tool call or no options can be read. */
export const fromParams = (requestId: string, params: unknown): PermissionRequest | undefined => {
  if (!isRecord(params) || typeof params.sessionId !== "string" || !Array.isArray(params.options)) return undefined
  const toolCall = Option.getOrUndefined(decodeToolCall(params.toolCall))
  if (toolCall === undefined) return undefined
  return {
    requestId,
    form: "permission",
    sessionId: params.sessionId,
    toolCall,
    options: params.options.flatMap(optionOf),
    questions: Question.fromRawInput(toolCall.rawInput)
  }
}

/** Says why an answer cannot be given to a request; undefined when it can. */
export const problem = (request: PermissionRequest, answer: Answer): string | undefined => {
  switch (answer._tag) {
    case "Selected":
      return request.options.some(({ optionId }) => optionId === answer.optionId)
        ? undefined
        : "This option is not offered"
    case "Answered": {
      // A form without fields asks for a plain yes.
      if (request.questions.length === 0) return request.form === "elicitation" ? undefined : "No question is asked"
      if (request.form === "permission" && consent(request) === undefined) return "No option carries an answer"
      for (const question of request.questions) {
        const wrong = Question.problem(question, Question.answerOf(answer.answers, question.id))
        if (wrong !== undefined) return `${question.header ?? question.id}: ${wrong}`
      }
      return undefined
    }
    default:
      return undefined
  }
}

/** The result of the agent's request; answers inside a permission stand in the outcome and in `_meta` (spec 6). */
export const toResult = (request: PermissionRequest, answer: Answer): unknown => {
  switch (request.form) {
    case "permission":
      return toPermissionResult(request, answer)
    case "question":
      return toQuestionResult(answer)
    case "elicitation":
      return toElicitationResult(request, answer)
  }
}

const toPermissionResult = (request: PermissionRequest, answer: Answer): unknown => {
  switch (answer._tag) {
    case "Selected":
      return chosen(answer.optionId, answer.answers)
    case "Answered":
      return chosen(consent(request), answer.answers)
    case "Declined":
    case "Expired":
      // "cancelled" says that the turn is over and leaves some agents waiting, so it stands only where no refusal is offered.
      return chosen(refusal(request))
    case "Cancelled":
      return chosen(undefined)
  }
}

const chosen = (optionId: string | undefined, answers?: Question.Answers): unknown => {
  if (optionId === undefined) return { outcome: { outcome: "cancelled" } }
  if (answers === undefined) return { outcome: { outcome: "selected", optionId } }
  return { outcome: { outcome: "selected", optionId, answers }, _meta: { answers } }
}

const toQuestionResult = (answer: Answer): unknown => {
  switch (answer._tag) {
    case "Selected":
    case "Answered":
      return { outcome: { outcome: "submitted", data: { answers: answer.answers ?? {} } } }
    case "Declined":
      return { outcome: { outcome: "cancelled", reason: "declined" } }
    case "Expired":
      return { outcome: { outcome: "cancelled", reason: "timeout" } }
    case "Cancelled":
      return { outcome: { outcome: "cancelled", reason: "turn cancelled" } }
  }
}

const toElicitationResult = ({ questions }: PermissionRequest, answer: Answer): unknown => {
  switch (answer._tag) {
    case "Selected":
    case "Answered":
      return { action: "accept", content: Question.toContent(questions, answer.answers ?? {}) }
    case "Declined":
      return { action: "decline" }
    case "Expired":
    case "Cancelled":
      return { action: "cancel" }
  }
}

const fromQuestion = (requestId: string, params: unknown): PermissionRequest | undefined => {
  if (!isRecord(params)) return undefined
  const questions = Question.fromRawInput(params.schema)
  if (questions.length === 0) return undefined
  return {
    requestId,
    form: "question",
    sessionId: stringOf(params.sessionId),
    ...about(params.toolCallId),
    ...words(params.message),
    options: [],
    questions
  }
}

const fromElicitation = (requestId: string, params: unknown): PermissionRequest | undefined => {
  if (!isRecord(params) || params.mode !== "form") return undefined
  return {
    requestId,
    form: "elicitation",
    sessionId: stringOf(params.sessionId),
    ...about(params.toolCallId),
    ...words(params.message),
    options: [],
    questions: Question.fromForm(params.requestedSchema)
  }
}

const consent = ({ options }: PermissionRequest): string | undefined =>
  (options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => !kind.startsWith("reject")))
    ?.optionId

const refusal = ({ options }: PermissionRequest): string | undefined =>
  (options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject")))
    ?.optionId

// One odd option costs neither the others nor the question.
const optionOf = (raw: unknown): Array<Wire.PermissionOption> => {
  if (!isRecord(raw) || typeof raw.optionId !== "string") return []
  const { _meta, optionId, ...more } = raw
  const name = stringOf(raw.name) ?? optionId
  const kind = stringOf(raw.kind) ?? "unknown"
  return [{ ...more, optionId, name, kind, ...(isRecord(_meta) ? { _meta } : {}) }]
}

const about = (toolCallId: unknown): Pick<PermissionRequest, "toolCall"> =>
  typeof toolCallId === "string" ? { toolCall: { toolCallId } } : {}

const words = (message: unknown): Pick<PermissionRequest, "message"> =>
  typeof message === "string" && message !== "" ? { message } : {}

const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const decodeToolCall = safeDecoder(Wire.ToolCallUpdate)
