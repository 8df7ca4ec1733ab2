import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import { oneLine, truncateLines } from "../text/Truncate.ts"

/** A request's title, or its kind without a visible title. */
export const titleOf = ({ title }: AgentRequest, { requestCards }: Messages): string =>
  oneLine(title, 200) || requestCards.untitledRequest

/** The text of an open card, shortened so that its deadline, and why it is open again, stay visible. */
export const cardText = ({ deadline, outcome }: AgentRequest, text: string, messages: Messages): string => {
  const { askedAgain, deadline: deadlineText, openAgain } = messages.requestCards
  const { mayHaveArrived, removedAuthors } = outcome._tag === "Open" ? outcome : {}
  const removed = removedAuthors === undefined ? "" : openAgain(removedAuthors.slice(0, 10))
  const note = mayHaveArrived === true ? askedAgain : removed
  return [truncateLines(text, 3900 - note.length, messages.turnPosts.moreCharacters), note, deadlineText(deadline)]
    .filter((part) => part !== "")
    .join("\n\n")
}
