import * as Option from "effect/Option"
import { safeDecoder } from "../internal/SafeDecode.ts"
import { decodedGuard } from "../internal/DecodedGuard.ts"
import * as Wire from "./generated/AcpSchema.ts"

/** One update of a session: a known kind, or `{ sessionUpdate: "unknown", tag, raw }`. */
export type Update = Wire.SessionUpdate

/** The params of a `session/update` notification. */
export interface SessionNotification {
  readonly sessionId: string
  readonly update: Update
}

/** Reads the params of a `session/update`; undefined without a session or an update. */
export const decode = (params: unknown): SessionNotification | undefined => {
  if (!isRecord(params) || typeof params.sessionId !== "string" || !isRecord(params.update)) return undefined
  const raw = params.update
  if (isDecoded(raw)) return { sessionId: params.sessionId, update: raw }
  const update = Option.getOrUndefined(decodeUpdate(raw))
  return update === undefined ? undefined : { sessionId: params.sessionId, update }
}

const decodeUpdate = safeDecoder(Wire.SessionUpdate)

const isDecoded = decodedGuard(Wire.SessionUpdate)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
