import * as Schema from "effect/Schema"

/** A request id: each direction has its own namespace, and 0 and null are valid. */
export type Id = number | string | null

/** The error member of a failed response. */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** A call with a response. */
export interface Request {
  readonly jsonrpc: "2.0"
  readonly id: Id
  readonly method: string
  readonly params?: unknown
}

/** A call without a response. */
export interface Notification {
  readonly jsonrpc: "2.0"
  readonly method: string
  readonly params?: unknown
}

/** The response to a request that succeeded; `result` may be null. */
export interface Success {
  readonly jsonrpc: "2.0"
  readonly id: Id
  readonly result: unknown
}

/** The response to a request that failed. */
export interface Failure {
  readonly jsonrpc: "2.0"
  readonly id: Id
  readonly error: ErrorObject
}

/** One JSON-RPC 2.0 message; a parsed one is the received object itself, unknown fields included. */
export type Message = Request | Notification | Success | Failure

/** The codes of JSON-RPC and ACP; any other int32 may occur. */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authenticationRequired: -32000,
  resourceNotFound: -32002
} as const

/** The peer answers a request with an error. */
export class RpcError extends Schema.TaggedError<RpcError>("@heddle/acp/RpcError")("RpcError", {
  code: Schema.Number,
  message: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {
  /** The method is not offered. */
  static methodNotFound(method: string): RpcError {
    return new RpcError({ code: ErrorCode.methodNotFound, message: `Method not found: ${method}`, data: { method } })
  }
  /** The sender cancelled the request. */
  static cancelled(): RpcError {
    return new RpcError({ code: ErrorCode.requestCancelled, message: "Request cancelled" })
  }
  /** The response exceeds the limit of the channel. */
  static tooLarge(): RpcError {
    return new RpcError({ code: ErrorCode.internalError, message: "The answer is too large to be read" })
  }
  /**
   * What the error says in words: its message and, where agents put the cause there, the `data`: a text, or its members
   * `details`, `detail`, `message`, `error`, `agent` or `data`. A text may end with the JSON answer of a model's server.
   */
  get explanation(): string {
    const words = causeOf(this.message, 6) ?? this.message
    const cause = causeOf(this.data, 6)
    if (cause === undefined || words.includes(cause)) return words
    return cause.includes(words) || saysNothing(words) ? cause : `${words.replace(/[.:]$/, "")}: ${cause}`
  }
  /** The {@link explanation} without its last full stop; undefined where it only says that something failed. */
  get reason(): string | undefined {
    const reason = this.explanation.trim().replace(/\.$/, "")
    return reason === "" || saysNothing(reason) || codeNames.test(reason) ? undefined : reason
  }
  /** Reads the error member of a response. */
  static fromObject(error: ErrorObject): RpcError {
    return new RpcError({
      code: typeof error.code === "number" ? error.code : ErrorCode.internalError,
      message: typeof error.message === "string" ? error.message : noMessage,
      ...(error.data === undefined ? {} : { data: error.data })
    })
  }
}

/** Finds the cause in a part of an error; one that says nothing is the last choice. */
const causeOf = (data: unknown, depth: number): string | undefined => {
  if (depth === 0) return undefined
  if (typeof data === "string") {
    const text = data.trim()
    if (text === "") return undefined
    // Agents put the status before the JSON answer of a model's server.
    for (const at of [text.startsWith("[") ? 0 : -1, text.indexOf("{")]) {
      const cause = at < 0 ? undefined : causeOf(jsonOf(text.slice(at)), depth - 1)
      if (cause !== undefined) return `${text.slice(0, at)}${cause}`
    }
    return text
  }
  if (Array.isArray(data)) return causeOf(data[0], depth - 1)
  if (typeof data !== "object" || data === null) return undefined
  const causes = ["details", "detail", "message", "error", "agent", "data"]
    .map((name) => causeOf(Reflect.get(data, name), depth - 1))
    .filter((cause) => cause !== undefined)
  return causes.find((cause) => !saysNothing(cause)) ?? causes[0]
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // It is words that only begin like JSON.
    return undefined
  }
}

/** Messages that say nothing. */
const generic = /^(internal (server )?error|unknown error|error|request failed)\.?$/i

/** The names of the codes of JSON-RPC, with the method that some peers add. */
const codeNames = /^(parse error|invalid (request|params)|method not found|server error)(: "?[\w/$.-]+"?)?$/i

const noMessage = "An error without a message"

const saysNothing = (words: string): boolean => words === noMessage || generic.test(words)

/** Builds a request. */
export const request = (id: Id, method: string, params?: unknown): Request => ({ jsonrpc: "2.0", id, method, params })

/** Builds a notification. */
export const notification = (method: string, params?: unknown): Notification => ({ jsonrpc: "2.0", method, params })

/** Builds the response to a request that succeeded. */
export const success = (id: Id, result: unknown): Success => ({ jsonrpc: "2.0", id, result: result ?? null })

/** Builds the response to a request that failed. */
export const failure = (id: Id, error: RpcError): Failure => ({
  jsonrpc: "2.0",
  id,
  error: { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) }
})

/** Tells whether a message is a request. */
export const isRequest = (message: Message): message is Request => "method" in message && "id" in message

/** Tells whether a message is a notification. */
export const isNotification = (message: Message): message is Notification => "method" in message && !("id" in message)

/** Tells whether a message is a response. */
export const isResponse = (message: Message): message is Success | Failure => !("method" in message)

/** Tells whether a response is that of a call; some services write the number of its id as a text. */
export const isResponseTo = (response: Success | Failure, id: Id): boolean =>
  response.id === id || (typeof id === "number" && response.id === String(id))

/** Tells whether a response is an error. */
export const isFailure = (message: Success | Failure): message is Failure => "error" in message

/**
 * Recognises a message in a parsed JSON value and returns that value, or undefined. A `method` or `error` that is null
 * counts as absent; a response that has only such an `error` is a failure.
 */
export const fromJson = (json: unknown): Message | undefined => {
  if (typeof json !== "object" || json === null) return undefined
  const value = withoutNulls(json)
  if ("id" in value && !isId(value.id)) return undefined
  if ("method" in value) return typeof value.method === "string" ? (value as Request | Notification) : undefined
  if (!("id" in value)) return undefined
  if (!("error" in value)) {
    if ("result" in value) return value as Success
    return "error" in json ? ({ ...value, error: toErrorObject(json.error) } as Failure) : undefined
  }
  const isObject = typeof value.error === "object" && value.error !== null
  return (isObject ? value : { ...value, error: toErrorObject(value.error) }) as Failure
}

/** Some services write every member that a message of another kind has. */
const withoutNulls = (value: object): object => {
  const hasNull = ("method" in value && value.method === null) || ("error" in value && value.error === null)
  if (!hasNull) return value
  const isNull = (name: string, member: unknown) => member === null && (name === "method" || name === "error")
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => !isNull(name, member)))
}

/** An error that is not an object still settles its call. */
const toErrorObject = (error: unknown): ErrorObject => ({
  code: typeof error === "number" ? error : ErrorCode.internalError,
  message: typeof error === "string" ? error : noMessage,
  data: error
})

/**
 * How many levels of arrays and objects a message may have: far more than a real one, far fewer than the stack allows.
 */
export const maxDepth = 256

/** Tells whether a parsed JSON value is nested deeper than {@link maxDepth}. */
export const tooDeep = (value: unknown): boolean => exceeds(value, maxDepth)

const exceeds = (value: unknown, left: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (left === 0) return true
  if (Array.isArray(value)) {
    for (const member of value) if (exceeds(member, left - 1)) return true
    return false
  }
  // Parsed JSON has no inherited members, and this way no list of them is made.
  for (const name in value) if (exceeds((value as Readonly<Record<string, unknown>>)[name], left - 1)) return true
  return false
}

/** Parses a message or a batch; undefined for other text. A response that is nested too deep becomes a failure. */
export const parse = (text: string): ReadonlyArray<Message> | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The caller reports the text, which says more than the message of the parser.
    return undefined
  }
  if (mayBeTooDeep(text) && tooDeep(value)) {
    // Its call must not wait for ever.
    const message = fromJson(value)
    return message !== undefined && isResponse(message) ? [failure(message.id, unreadable)] : undefined
  }
  if (!Array.isArray(value)) {
    const message = fromJson(value)
    return message === undefined ? undefined : [message]
  }
  const messages = value.map(fromJson).filter((message) => message !== undefined)
  return messages.length === 0 ? undefined : messages
}

/** Tells whether a text has as many brackets as a value that is too deep: they are found faster than members. */
const mayBeTooDeep = (text: string): boolean => {
  // Each level takes two characters at least.
  if (text.length <= 2 * maxDepth) return false
  let left = maxDepth
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (left-- === 0) return true
  }
  return false
}

const unreadable = new RpcError({
  code: ErrorCode.internalError,
  message: `The answer is nested more than ${maxDepth} levels deep and cannot be read`
})

const isId = (value: unknown): value is Id => typeof value === "number" || typeof value === "string" || value === null
