import { refuse } from "../../model/DiscordError.ts"
import type { StoredReaction } from "../../model/Records.ts"

/** Most different emojis below one message. */
const most = 20

/** Reads an emoji of a path, `😀` or `name:id`; throws 10014 when it is none. */
export const readEmoji = (text: string): StoredReaction["emoji"] => {
  const custom = /^(\w{2,32}):(\d{17,19})$/.exec(text)
  if (custom?.[1] !== undefined && custom[2] !== undefined) return { name: custom[1], id: custom[2] }
  if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(text) || [...text].length > 12)
    throw refuse.unknownEmoji()
  return { name: text, id: null }
}

/** Whether two emojis are one. */
export const sameEmoji = (a: StoredReaction["emoji"], b: StoredReaction["emoji"]): boolean =>
  a.id === b.id && (a.id !== null || a.name === b.name)

/** The reactions after one came or went; the same list when nothing changed. Throws 30010 for a 21st emoji. */
export const changeReactions = (
  reactions: ReadonlyArray<StoredReaction>,
  userId: string,
  emoji: StoredReaction["emoji"],
  add: boolean
): ReadonlyArray<StoredReaction> => {
  const found = reactions.find((one) => sameEmoji(one.emoji, emoji))
  if (add === (found?.userIds.includes(userId) ?? false)) return reactions
  if (found === undefined) {
    if (reactions.length >= most) throw refuse.tooMany(30_010, "reactions", most)
    return [...reactions, { emoji, userIds: [userId] }]
  }
  const userIds = add ? [...found.userIds, userId] : found.userIds.filter((id) => id !== userId)
  return reactions.map((one) => (one === found ? { ...one, userIds } : one)).filter((one) => one.userIds.length > 0)
}
