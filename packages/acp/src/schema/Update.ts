import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Wire from "./generated/AcpSchema.ts"

/** One `session/update`: a known kind with its fields, or `{ sessionUpdate: "unknown", tag, raw }`. */
export type Update = Wire.SessionUpdate

/** The params of a `session/update` notification. */
export interface SessionNotification {
  readonly sessionId: string
  readonly update: Update
}

/** Reads the params of a `session/update`; undefined when it names no session or no update. */
export const decode = (params: unknown): SessionNotification | undefined => {
  if (!isRecord(params) || typeof params.sessionId !== "string" || !isRecord(params.update)) return undefined
  const raw = params.update
  if (isTextChunk(raw)) return { sessionId: params.sessionId, update: raw }
  const update = Option.getOrUndefined(decodeUpdate(raw))
  return update === undefined ? undefined : { sessionId: params.sessionId, update }
}

const decodeUpdate = Schema.decodeUnknownOption(Wire.SessionUpdate, { onExcessProperty: "preserve" })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

type TextChunk = Extract<
  Update,
  { readonly sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" }
>

// Nine of ten updates are text; recognising them by hand costs a fifth of decoding them.
const isTextChunk = (raw: object): raw is TextChunk => {
  const { sessionUpdate, content, messageId, _meta } = raw as Readonly<Record<string, unknown>>
  return (
    (sessionUpdate === "agent_message_chunk" ||
      sessionUpdate === "agent_thought_chunk" ||
      sessionUpdate === "user_message_chunk") &&
    isRecord(content) &&
    content.type === "text" &&
    typeof content.text === "string" &&
    content.annotations === undefined &&
    content._meta === undefined &&
    _meta === undefined &&
    (messageId === undefined || messageId === null || typeof messageId === "string")
  )
}
