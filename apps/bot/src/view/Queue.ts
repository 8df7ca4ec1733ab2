import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import { oneLine } from "../text/Truncate.ts"
import * as Post from "../model/Post.ts"

/** A message that waits for the running turn to end. */
export interface QueuedMessage {
  readonly authorName: string
  readonly content: string
  readonly files: ReadonlyArray<string>
}

/** The waiting messages: their number, whether they have several authors, and the first ones. */
export interface QueueSummary {
  readonly count: number
  readonly hasSeveralAuthors: boolean
  readonly visible: ReadonlyArray<QueuedMessage>
}

/** The post of the queue with its order; `until` says what it waits for. None when no message waits. */
export const queuePosts = (
  { count, visible, hasSeveralAuthors }: QueueSummary,
  until: "account" | "answer" | "question",
  messages: Messages
): ReadonlyArray<Post.Post> => {
  if (count === 0) return []
  const lines = visible.map((message, index) => {
    const words = oneLine([message.content, ...message.files.map((name) => `📎 ${name}`)].join(" "), 80)
    return `-# ${index + 1}. ${hasSeveralAuthors ? `${plain(oneLine(message.authorName, 32))}: ` : ""}${plain(words) || "…"}`
  })
  const more = count > lines.length ? [messages.queue.more(count - lines.length)] : []
  return [Post.text("queue", [messages.queue[until], ...lines, ...more].join("\n"))]
}

/** Says that a backfilled message follows. */
export const backfillNotice = (messages: Messages): Post.Post => Post.text("late", messages.readLate)

/** How many waiting messages are shown. */
export const maxVisible = 10
