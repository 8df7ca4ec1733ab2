import type { Messages } from "../messages/Messages.ts"
import { oneLine, plain } from "./Fit.ts"
import * as Post from "./Post.ts"

/** A message that waits for the running turn to end. */
export interface Waiting {
  readonly authorId: string
  readonly authorName: string
  readonly content: string
  readonly files: ReadonlyArray<string>
}

/** The one post that shows who waits, in order, and for what: `asking` when the agent asks somebody; none when nobody waits. */
export const queue = (
  waiting: ReadonlyArray<Waiting>,
  asking: boolean,
  messages: Messages
): ReadonlyArray<Post.Post> => {
  if (waiting.length === 0) return []
  const several = new Set(waiting.map(({ authorId }) => authorId)).size > 1
  const lines = waiting.slice(0, most).map((one, index) => {
    const words = oneLine([one.content, ...one.files.map((name) => `📎 ${name}`)].join(" "), 80)
    return `-# ${index + 1}. ${several ? `${plain(oneLine(one.authorName, 32))}: ` : ""}${plain(words) || "…"}`
  })
  return [Post.text("queue", messages.queue(lines, waiting.length - lines.length, asking))]
}

/** Says that what follows was read late. */
export const late = (messages: Messages): Post.Post => Post.text("late", messages.readLate)

const most = 10
