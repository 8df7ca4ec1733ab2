import type { Card } from "../thread/Conversation.ts"
import { bytes, fileName, fit, fitLines, oneLine, plain } from "./Fit.ts"
import { render } from "./Markdown.ts"
import * as Post from "./Post.ts"

/** The colours of boxes; never the only sign of what they mean. */
export const colors = {
  plan: 0x5865f2,
  tasks: 0x3498db,
  overview: 0x9b59b6,
  waiting: 0xf1c40f,
  good: 0x2ecc71,
  bad: 0xe74c3c,
  past: 0x95a5a6
} as const

/** The largest file that Discord takes from a bot, in bytes. */
export const uploadLimit = 10 * 1024 * 1024

/** The cards that open a turn: its plan and its task list. */
export const opening = (cards: ReadonlyArray<Card>): ReadonlyArray<Post.Post> =>
  cards.flatMap((card) => (card.type === "plan" ? [plan(card)] : card.type === "tasks" ? [tasks(card)] : []))

/** The cards that close a turn: its files, then its summary. */
export const closing = (cards: ReadonlyArray<Card>): ReadonlyArray<Post.Post> => {
  const seen = new Map<string, string>()
  const files = cards.flatMap((card) => {
    if (card.type !== "media") return []
    const twin = card.md5 === undefined ? undefined : seen.get(card.md5)
    if (card.md5 !== undefined && twin === undefined) seen.set(card.md5, card.name)
    return [media(card, twin)]
  })
  return [...files, ...cards.flatMap((card) => (card.type === "overview" ? [overview(card)] : []))]
}

type Of<T extends Card["type"]> = Extract<Card, { readonly type: T }>

const keyOf = (card: Card): string => `card:${card.uri}`

const titleOf = (card: Card, fallback: string): string =>
  fit(`${card.deleted ? "🗑️ Deleted: " : ""}${oneLine(card.title, 200) || fallback}`, 256)

/** Markdown as a card shows it: as Discord reads it, and no heading that only repeats the card's title. */
const body = (markdown: string, title: string): string => {
  const [first = "", ...rest] = markdown.trimStart().split("\n")
  const heading = /^#+\s+(.*?)\s*$/.exec(first)?.[1]
  const text = heading?.toLowerCase() === title.trim().toLowerCase() ? rest.join("\n").trimStart() : markdown
  return fitLines(render(text, {}).content, 4000)
}

const plan = (card: Of<"plan">): Post.Post =>
  Post.box(keyOf(card), {
    title: titleOf(card, "Plan"),
    description: body(card.text, card.title),
    color: card.deleted ? colors.past : colors.plan,
    ...(card.version === undefined ? {} : { footer: `Plan · version ${card.version}` })
  })

const signs: Record<string, string> = { completed: "✅", in_progress: "▸", pending: "▢", cancelled: "✖" }

const tasks = (card: Of<"tasks">): Post.Post => {
  const done = card.tasks.filter((task) => task.status === "completed").length
  const lines = card.tasks.map((task) => {
    const words = plain(oneLine(task.content, 200))
    if (task.status === "cancelled") return `✖ ~~${words}~~`
    return `${signs[task.status] ?? "▢"} ${task.status === "in_progress" ? `**${words}**` : words}`
  })
  return Post.box(keyOf(card), {
    title: fit(`${titleOf(card, "Tasks")} · ${done} of ${card.tasks.length}`, 256),
    description: fitLines(lines.join("\n"), 4000),
    color: card.deleted ? colors.past : done === card.tasks.length && done > 0 ? colors.good : colors.tasks
  })
}

const media = (card: Of<"media">, twin: string | undefined): Post.Post => {
  const name = fileName(card.name)
  const size = card.size === undefined ? "" : ` · ${bytes(card.size)}`
  const line = `📎 **${plain(oneLine(card.name, 100))}**${size}`
  if (card.deleted) return Post.text(keyOf(card), `🗑️ ${plain(oneLine(card.name, 100))} was deleted`)
  if (twin !== undefined) return Post.text(keyOf(card), `${line} — the same content as ${plain(oneLine(twin, 100))}`)
  if (card.size !== undefined && card.size > uploadLimit) {
    return Post.text(
      keyOf(card),
      `${line} — too large to attach here (the limit is ${bytes(uploadLimit)}). It stays in the task.`
    )
  }
  const file = { name, uri: card.uri, version: card.version }
  if (!card.image) return { ...Post.text(keyOf(card), line), files: [file] }
  const boxed = Post.box(keyOf(card), {
    title: titleOf(card, card.name),
    image: name,
    color: colors.plan,
    footer: `${oneLine(card.name, 200)}${size}`
  })
  return { ...boxed, files: [file] }
}

const overview = (card: Of<"overview">): Post.Post =>
  Post.box(keyOf(card), {
    title: titleOf(card, "Summary"),
    description: body(card.text, card.title),
    color: card.deleted ? colors.past : colors.overview
  })
