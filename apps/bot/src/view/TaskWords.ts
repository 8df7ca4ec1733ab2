import type { Messages } from "../messages/Messages.ts"
import { languages } from "../messages/Translations.ts"

/** A task card's text with its own sentence in another language; text of people stays unchanged. */
export const translateCard = (cardText: string, target: Messages): string => {
  for (const sentence of sentences) {
    for (const from of languages) {
      const match = new RegExp(
        `^${escapeRegExp(sentence(from)).replace(userPlaceholder, "(\\d+)").replace(titlePlaceholder, "(.*)")}(?=\n|$)`
      ).exec(cardText)
      const [whole, userId, title] = match ?? []
      if (whole === undefined || userId === undefined || title === undefined) continue
      return (
        sentence(target)
          .replace(userPlaceholder, userId)
          .replace(titlePlaceholder, () => title) + cardText.slice(whole.length)
      )
    }
  }
  return cardText
}

/** Placeholders for a sentence's parameters; no text contains them. */
const userPlaceholder = "\u0001"
const titlePlaceholder = "\u0002"

const sentences: ReadonlyArray<(messages: Messages) => string> = [
  ({ turnPosts }) => turnPosts.startedCard(userPlaceholder, titlePlaceholder, "", []),
  ({ turnPosts }) => turnPosts.openedCard(userPlaceholder, titlePlaceholder)
]

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
