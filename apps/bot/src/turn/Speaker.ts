import { oneLine } from "../text/Truncate.ts"
import type { Entry } from "../store/Inbox.ts"

/** The words of a message as the agent gets them; in a thread in which several people speak, with who says them. */
export const words = (entry: Pick<Entry, "authorId" | "authorName" | "content">, shared: boolean): string => {
  if (!shared) return entry.content
  const name = oneLine(entry.authorName.replace(/[[\]]/g, ""), 80) || "Someone"
  return `[${name}, Discord user ${entry.authorId}]\n${entry.content}`
}
