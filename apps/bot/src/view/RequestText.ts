import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import { oneLine, truncateLines } from "../text/Truncate.ts"

/** A request's title, or its kind without a visible title. */
export const titleOf = ({ title }: AgentRequest, { requestCards }: Messages): string =>
  oneLine(title, 200) || requestCards.untitledRequest

/** The text of an open card, shortened so that its deadline, and why it is open again, stay visible. */
export const cardText = ({ deadline, outcome }: AgentRequest, text: string, messages: Messages): string => {
  const { openAgain, deadline: deadlineText } = messages.requestCards
  const removedAuthors = outcome._tag === "Open" ? outcome.removedAuthors : undefined
  const note = removedAuthors === undefined ? "" : openAgain(removedAuthors.slice(0, 10))
  return [truncateLines(text, 3900 - note.length, messages.turnPosts.moreCharacters), note, deadlineText(deadline)]
    .filter((part) => part !== "")
    .join("\n\n")
}
