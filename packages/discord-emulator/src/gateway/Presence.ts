import { type JsonObject, isJsonObject } from "../validate/Form.ts"

/** The presence of a bot. */
export interface Presence {
  readonly status: "online" | "dnd" | "idle" | "invisible" | "offline"
  readonly activities: ReadonlyArray<JsonObject>
  readonly since: number | null
  readonly afk: boolean
}

export const onlinePresence: Presence = { status: "online", activities: [], since: null, afk: false }
export const offlinePresence: Presence = { ...onlinePresence, status: "offline" }

const statuses: ReadonlyArray<string> = ["online", "dnd", "idle", "invisible", "offline"] satisfies ReadonlyArray<
  Presence["status"]
>

/** Reads a presence update; `undefined` for an invalid one. */
export const readPresence = (data: unknown): Presence | undefined => {
  if (!isJsonObject(data) || !isStatus(data["status"])) return undefined
  const activities = data["activities"] ?? []
  if (!Array.isArray(activities) || !activities.every(isActivity)) return undefined
  return {
    status: data["status"],
    activities,
    since: typeof data["since"] === "number" ? data["since"] : null,
    afk: data["afk"] === true
  }
}

/** The presence that others see; an invisible user is offline without activities. */
export const renderPresence = (userId: string, guildId: string, presence: Presence): object => {
  const isHidden = presence.status === "invisible" || presence.status === "offline"
  const status = isHidden ? "offline" : presence.status
  return {
    user: { id: userId },
    guild_id: guildId,
    status,
    activities: isHidden ? [] : presence.activities,
    client_status: isHidden ? {} : { web: status }
  }
}

const isStatus = (value: unknown): value is Presence["status"] => typeof value === "string" && statuses.includes(value)

const isActivity = (value: unknown): boolean =>
  isJsonObject(value) && typeof value["name"] === "string" && Number.isInteger(value["type"])
