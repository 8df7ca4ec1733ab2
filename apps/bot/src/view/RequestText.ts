import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import { oneLine, truncateLines } from "../text/Truncate.ts"

/** A request's title, or its kind without a visible title. */
export const titleOf = ({ title }: AgentRequest, { requestCards }: Messages): string =>
  oneLine(title, 200) || requestCards.untitledRequest

/** The text of an open card, shortened so that its deadline stays visible. */
export const cardText = ({ deadline }: AgentRequest, text: string, messages: Messages): string =>
  [
    ...(text === "" ? [] : [truncateLines(text, 3900, messages.turnPosts.moreCharacters)]),
    messages.requestCards.deadline(deadline)
  ].join("\n\n")
