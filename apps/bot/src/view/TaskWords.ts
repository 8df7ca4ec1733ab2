import type { Messages } from "../messages/Messages.ts"
import { languages } from "../messages/Translations.ts"

/** A task card's text with its own sentence in another language; text of people stays unchanged. */
export const inLanguage = (words: string, to: Messages): string => {
  for (const sentence of sentences) {
    for (const from of languages) {
      const found = new RegExp(
        `^${escaped(sentence(from)).replace(user, "(\\d+)").replace(name, "(.*)")}(?=\n|$)`
      ).exec(words)
      const [whole, userId, title] = found ?? []
      if (whole === undefined || userId === undefined || title === undefined) continue
      return (
        sentence(to)
          .replace(user, userId)
          .replace(name, () => title) + words.slice(whole.length)
      )
    }
  }
  return words
}

/** Placeholders for a sentence's parameters; no text contains them. */
const user = "\u0001"
const name = "\u0002"

const sentences: ReadonlyArray<(messages: Messages) => string> = [
  ({ turnPosts }) => turnPosts.card(user, name, "", []),
  ({ turnPosts }) => turnPosts.openedCard(user, name)
]

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
