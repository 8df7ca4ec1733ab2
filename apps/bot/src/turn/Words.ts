import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import type { Words } from "../store/Inbox.ts"

/** What a message in the thread of a task says to the task: the mention of the bot only says who is meant. */
export const wordsOf = ({ attachments, content, place }: IncomingMessage): Words => ({
  attachments,
  content: place?.asksForTask === true ? place.prompt : content
})
