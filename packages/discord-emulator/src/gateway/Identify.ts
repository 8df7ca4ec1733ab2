import type { Settings } from "../settings/Settings.ts"
import { type JsonObject, isJsonObject } from "../validate/Form.ts"
import { CloseCode, knownIntents } from "./Codes.ts"
import { onlinePresence, readPresence } from "./Presence.ts"
import type { SessionRecord } from "./SessionStore.ts"

/** The options of an IDENTIFY, or the close code that refuses it. */
export type IdentifyResult = Omit<SessionRecord, "id"> | { readonly closeCode: number }

/** Reads an IDENTIFY, in Discord's order: the token, then the intents, then the shard. */
export const readIdentify = (
  data: JsonObject,
  { botToken, settings }: { readonly botToken: string; readonly settings: Settings }
): IdentifyResult => {
  if (tokenOf(data) !== botToken) return { closeCode: CloseCode.authenticationFailed }
  const { intents } = data
  if (!isJsonObject(data["properties"])) return { closeCode: CloseCode.decodeError }
  if (typeof intents !== "number" || !Number.isInteger(intents) || intents < 0 || (intents & ~knownIntents) !== 0)
    return { closeCode: CloseCode.invalidIntents }
  if (intents > 0xffff_ffff) return { closeCode: CloseCode.invalidIntents }
  if ((intents & settings.refusedIntents) !== 0) return { closeCode: CloseCode.disallowedIntents }
  const shard = readShard(data["shard"])
  if (shard === undefined) return { closeCode: CloseCode.invalidShard }
  if (shard[1] < settings.shards) return { closeCode: CloseCode.shardingRequired }
  const presence = data["presence"] === undefined ? onlinePresence : readPresence(data["presence"])
  if (presence === undefined) return { closeCode: CloseCode.decodeError }
  const threshold = data["large_threshold"]
  return {
    intents,
    shard,
    largeThreshold: typeof threshold === "number" && threshold >= 50 && threshold <= 250 ? threshold : 50,
    compress: data["compress"] === true,
    presence
  }
}

/** The token of an IDENTIFY or RESUME, with or without its scheme. */
export const tokenOf = ({ token }: JsonObject): string => (typeof token === "string" ? token.replace(/^Bot /, "") : "")

const readShard = (value: unknown): readonly [number, number] | undefined => {
  if (value === undefined || value === null) return [0, 1]
  if (!Array.isArray(value) || value.length !== 2) return undefined
  const [shard, count]: ReadonlyArray<unknown> = value
  if (typeof shard !== "number" || typeof count !== "number") return undefined
  return Number.isInteger(shard) && Number.isInteger(count) && shard >= 0 && shard < count ? [shard, count] : undefined
}
