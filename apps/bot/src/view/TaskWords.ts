import type { Messages } from "../messages/Messages.ts"
import { languages } from "../messages/Translations.ts"

/** What a card says of a task, with its own sentence in another language; what people wrote stays as it is. */
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

/** They stand for what a sentence is made of, and are in no text. */
const user = "\u0001"
const name = "\u0002"

const sentences: ReadonlyArray<(messages: Messages) => string> = [
  ({ shown }) => shown.card(user, name, "", []),
  ({ shown }) => shown.openedCard(user, name)
]

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
