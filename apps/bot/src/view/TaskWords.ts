import type { Messages } from "../messages/Messages.ts"
import { languages } from "../messages/Translations.ts"

/** A task header's text with its own sentence in another language; text of people stays unchanged. */
export const translateHeader = (headerText: string, target: Messages): string => {
  for (const sentence of sentences) {
    for (const from of languages) {
      const match = new RegExp(
        `^${escapeRegExp(sentence(from)).replace(userPlaceholder, "(\\d+)").replace(titlePlaceholder, "(.*)")}(?=\n|$)`
      ).exec(headerText)
      const [whole, userId, title] = match ?? []
      if (whole === undefined || userId === undefined || title === undefined) continue
      return (
        sentence(target)
          .replace(userPlaceholder, userId)
          .replace(titlePlaceholder, () => title) + headerText.slice(whole.length)
      )
    }
  }
  return headerText
}

/** Placeholders for a sentence's parameters; no text contains them. */
const userPlaceholder = "\u0001"
const titlePlaceholder = "\u0002"

const sentences: ReadonlyArray<(messages: Messages) => string> = [
  ({ turnPosts }) => turnPosts.startedHeader(userPlaceholder, titlePlaceholder, "", []),
  ({ turnPosts }) => turnPosts.openedHeader(userPlaceholder, titlePlaceholder)
]

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
