import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import { oneLine, truncateLines } from "../text/Truncate.ts"

/** What a request is called, or what it is when nothing can be seen of its title. */
export const titleOf = ({ title }: AgentRequest, { asked }: Messages): string => oneLine(title, 200) || asked.tool

/** The words of a card that can be answered, shortened so that its deadline always stands below them. */
export const bodyOf = ({ deadline }: AgentRequest, words: string, messages: Messages): string =>
  [
    ...(words === "" ? [] : [truncateLines(words, 3900, messages.shown.moreCharacters)]),
    messages.asked.deadline(deadline)
  ].join("\n\n")
