import * as Option from "effect/Option"
import * as Question from "./Question.ts"
import { safeDecoder } from "./internal/SafeDecode.ts"
import * as Wire from "./schema/generated/AcpSchema.ts"

/**
 * The wire form of a request: `session/request_permission`, whose tool call may have the questions of an AskUserQuestion;
 * the vendor's question request; or the form of `elicitation/create`.
 */
export type Form = "permission" | "question" | "elicitation"

/** A request of the agent to a person: whether a tool may run, or, with `questions`, for answers. */
export interface PermissionRequest {
  /** Unique, also across connections; a repeated request has a new one. */
  readonly requestId: string
  /** The same for a request that is repeated on a new connection: `heddle/request` in its `_meta`, if the service gives it. */
  readonly repeatId?: string
  readonly form: Form
  /** Undefined if the request belongs to no session. */
  readonly sessionId: string | undefined
  /** Until when the agent waits, in epoch milliseconds, if it says it. */
  readonly expiresAt?: number
  /** Always present in the form "permission". */
  readonly toolCall?: Wire.ToolCallUpdate
  /** The message of the agent, if the form has one. */
  readonly message?: string
  /** The options of the form "permission"; one of an unknown kind is kept. */
  readonly options: ReadonlyArray<Wire.PermissionOption>
  readonly questions: ReadonlyArray<Question.Question>
}

/** An answer to a request. */
export type Answer =
  | { readonly _tag: "Selected"; readonly optionId: string; readonly answers?: Question.Answers }
  | { readonly _tag: "Answered"; readonly answers: Question.Answers }
  | { readonly _tag: "Declined" }
  | { readonly _tag: "Expired" }
  | { readonly _tag: "Cancelled" }

/** Chooses an option, with the answers to the questions of the request. */
export const selected = (optionId: string, answers?: Question.Answers): Answer => ({
  _tag: "Selected",
  optionId,
  ...(answers === undefined ? {} : { answers })
})

/** Answers the questions of any form. */
export const answered = (answers: Question.Answers): Answer => ({ _tag: "Answered", answers })

/** Refuses, by the mildest option that is offered. */
export const declined: Answer = { _tag: "Declined" }

/** There was no answer in time: a refusal if one is offered, so that the agent goes on. */
export const expired: Answer = { _tag: "Expired" }

/** The turn is cancelled, so there is no decision. */
export const cancelled: Answer = { _tag: "Cancelled" }

/** The form of a method; undefined if it is no request to a person. */
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

/** Reads a request of any form; undefined if it has nothing to show. */
export const fromRequest = (form: Form, requestId: string, params: unknown): PermissionRequest | undefined => {
  const request = { permission: fromParams, question: fromQuestion, elicitation: fromElicitation }[form](
    requestId,
    params
  )
  const meta = isRecord(params) ? params["_meta"] : undefined
  const repeatId = isRecord(meta) ? meta["heddle/request"] : undefined
  return request === undefined || typeof repeatId !== "string" ? request : { ...request, repeatId }
}

/** Reads the params of a `session/request_permission`; undefined without a readable tool call and options. */
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

/** Why an answer does not fit a request; undefined if it does. */
export const problem = (request: PermissionRequest, answer: Answer): string | undefined => {
  switch (answer._tag) {
    case "Selected":
      return request.options.some(({ optionId }) => optionId === answer.optionId)
        ? undefined
        : "This option is not offered"
    case "Answered": {
      // A form without fields asks for a consent.
      if (request.questions.length === 0) return request.form === "elicitation" ? undefined : "No question is asked"
      if (request.form === "permission" && allowOption(request) === undefined) return "No option carries an answer"
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

/** The result of a request. Answers of a permission are in its outcome and in `_meta` (contract 6). */
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
      return outcome(answer.optionId, answer.answers)
    case "Answered":
      return outcome(allowOption(request), answer.answers)
    case "Declined":
    case "Expired":
      // "cancelled" means that the turn is over and leaves some agents waiting: only where no refusal is offered.
      return outcome(rejectOption(request))
    case "Cancelled":
      return outcome(undefined)
  }
}

const outcome = (optionId: string | undefined, answers?: Question.Answers): unknown => {
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

/** The fields that both kinds of questions share. */
const withoutOptions = (requestId: string, params: Readonly<Record<string, unknown>>) => ({
  requestId,
  sessionId: stringOf(params["sessionId"]),
  ...toolCallOf(params["toolCallId"]),
  ...messageOf(params["message"]),
  options: []
})

const fromQuestion = (requestId: string, params: unknown): PermissionRequest | undefined => {
  if (!isRecord(params)) return undefined
  const questions = Question.fromRawInput(params.schema)
  if (questions.length === 0) return undefined
  return {
    ...withoutOptions(requestId, params),
    form: "question",
    questions
  }
}

const fromElicitation = (requestId: string, params: unknown): PermissionRequest | undefined => {
  if (!isRecord(params) || params.mode !== "form") return undefined
  return {
    ...withoutOptions(requestId, params),
    form: "elicitation",
    questions: Question.fromForm(params.requestedSchema)
  }
}

const allowOption = ({ options }: PermissionRequest): string | undefined =>
  (options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => !kind.startsWith("reject")))
    ?.optionId

const rejectOption = ({ options }: PermissionRequest): string | undefined =>
  (options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject")))
    ?.optionId

// An option that cannot be read is left out.
const optionOf = (raw: unknown): Array<Wire.PermissionOption> => {
  if (!isRecord(raw) || typeof raw.optionId !== "string") return []
  const { _meta, optionId, ...more } = raw
  const name = stringOf(raw.name) ?? optionId
  const kind = stringOf(raw.kind) ?? "unknown"
  return [{ ...more, optionId, name, kind, ...(isRecord(_meta) ? { _meta } : {}) }]
}

const toolCallOf = (toolCallId: unknown): Pick<PermissionRequest, "toolCall"> =>
  typeof toolCallId === "string" ? { toolCall: { toolCallId } } : {}

const messageOf = (message: unknown): Pick<PermissionRequest, "message"> =>
  typeof message === "string" && message !== "" ? { message } : {}

const stringOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const decodeToolCall = safeDecoder(Wire.ToolCallUpdate)
