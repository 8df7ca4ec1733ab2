import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import { oneLine } from "../text/Truncate.ts"
import * as Post from "../model/Post.ts"

/** A message that waits for the running turn to end. */
export interface Waiting {
  readonly authorName: string
  readonly content: string
  readonly files: ReadonlyArray<string>
}

/** The waiting messages: their number, whether they have several authors, and the first ones. */
export interface QueueSummary {
  readonly count: number
  readonly several: boolean
  readonly first: ReadonlyArray<Waiting>
}

/** The post of the queue with its order and its reason; none when no message waits. */
export const queue = (
  { count, first, several }: QueueSummary,
  until: "account" | "answer" | "question",
  messages: Messages
): ReadonlyArray<Post.Post> => {
  if (count === 0) return []
  const lines = first.map((one, index) => {
    const words = oneLine([one.content, ...one.files.map((name) => `📎 ${name}`)].join(" "), 80)
    return `-# ${index + 1}. ${several ? `${plain(oneLine(one.authorName, 32))}: ` : ""}${plain(words) || "…"}`
  })
  const more = count > lines.length ? [messages.queue.more(count - lines.length)] : []
  return [Post.text("queue", [messages.queue[until], ...lines, ...more].join("\n"))]
}

/** Says that a backfilled message follows. */
export const late = (messages: Messages): Post.Post => Post.text("late", messages.readLate)

/** How many waiting messages are shown. */
export const most = 10
