import type { State } from "./State.ts"
import { type Channel, ChannelType, type Person } from "./Types.ts"

/** The display name of a person. */
export const displayName = (person: {
  readonly username: string
  readonly nick?: string | null
  readonly globalName?: string | null
  readonly global_name?: string | null
}): string => person.nick ?? person.globalName ?? person.global_name ?? person.username

/** The name of a channel; a direct channel has the name of its recipient. */
export const nameOf = (channel: Channel, { botId, people }: Pick<State, "botId" | "people">): string => {
  if (channel.type !== ChannelType.direct) return channel.name
  const bot = people[botId ?? ""]
  return bot === undefined ? "Direct messages" : displayName(bot)
}

/** Returns the colour of a drawn avatar: the account's own, or one that its id always leads to. */
export const avatarColor = (person: Pick<Person, "id" | "avatarColor">): string => {
  if (/^#[\da-f]{6}$/i.test(person.avatarColor ?? "")) return person.avatarColor ?? ""
  const sum = [...person.id].reduce((total, digit) => (total * 31 + digit.charCodeAt(0)) % 997, 7)
  return COLORS[sum % COLORS.length] ?? "#0d7d74"
}

// All carry white letters with a contrast of at least 4.5.
const COLORS = ["#0d7d74", "#7a4fc9", "#b3471d", "#2b67c4", "#a8326e", "#5a6b1f", "#8a5a00", "#4d5a6b"]
