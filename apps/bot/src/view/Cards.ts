import type { Messages } from "../messages/Messages.ts"
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
export const opening = (cards: ReadonlyArray<Card>, { shown }: Messages): ReadonlyArray<Post.Post> =>
  cards.flatMap((card) =>
    card.type === "plan" ? [plan(card, shown)] : card.type === "tasks" ? [tasks(card, shown)] : []
  )

/** The cards that close a turn: its files, then its summary. */
export const closing = (cards: ReadonlyArray<Card>, { shown }: Messages): ReadonlyArray<Post.Post> => {
  const seen = new Map<string, string>()
  const files = cards.flatMap((card) => {
    if (card.type !== "media") return []
    const twin = card.md5 === undefined ? undefined : seen.get(card.md5)
    if (card.md5 !== undefined && twin === undefined) seen.set(card.md5, card.name)
    return [media(card, twin, shown)]
  })
  return [...files, ...cards.flatMap((card) => (card.type === "overview" ? [overview(card, shown)] : []))]
}

type Shown = Messages["shown"]

type Of<T extends Card["type"]> = Extract<Card, { readonly type: T }>

const keyOf = (card: Card): string => `card:${card.uri}`

const titleOf = (card: Card, fallback: string, shown: Shown): string => {
  const title = oneLine(card.title, 200) || fallback
  return fit(card.deleted ? `🗑️ ${shown.deleted(title)}` : title, 256)
}

/** Markdown as a card shows it: as Discord reads it, and no heading that only repeats the card's title. */
const body = (markdown: string, title: string, shown: Shown): string => {
  const [first = "", ...rest] = markdown.trimStart().split("\n")
  const heading = /^#+\s+(.*?)\s*$/.exec(first)?.[1]
  const text = heading?.toLowerCase() === title.trim().toLowerCase() ? rest.join("\n").trimStart() : markdown
  return fitLines(render(text, {}).content, 4000, shown.moreCharacters)
}

const plan = (card: Of<"plan">, shown: Shown): Post.Post =>
  Post.box(keyOf(card), {
    title: titleOf(card, shown.plan, shown),
    description: body(card.text, card.title, shown),
    color: card.deleted ? colors.past : colors.plan,
    ...(card.version === undefined ? {} : { footer: shown.planVersion(card.version) })
  })

const signs: Record<string, string> = { completed: "✅", in_progress: "▸", pending: "▢", cancelled: "✖" }

const tasks = (card: Of<"tasks">, shown: Shown): Post.Post => {
  const done = card.tasks.filter((task) => task.status === "completed").length
  const lines = card.tasks.map((task) => {
    const words = plain(oneLine(task.content, 200))
    if (task.status === "cancelled") return `✖ ~~${words}~~`
    return `${signs[task.status] ?? "▢"} ${task.status === "in_progress" ? `**${words}**` : words}`
  })
  return Post.box(keyOf(card), {
    title: fit(shown.tasksDone(titleOf(card, shown.tasks, shown), done, card.tasks.length), 256),
    description: fitLines(lines.join("\n"), 4000, shown.moreCharacters),
    color: card.deleted ? colors.past : done === card.tasks.length && done > 0 ? colors.good : colors.tasks
  })
}

const media = (card: Of<"media">, twin: string | undefined, shown: Shown): Post.Post => {
  const name = fileName(card.name)
  const size = card.size === undefined ? "" : ` · ${bytes(card.size)}`
  const line = `📎 **${plain(oneLine(card.name, 100))}**${size}`
  if (card.deleted) return Post.text(keyOf(card), shown.fileDeleted(oneLine(card.name, 100)))
  if (twin !== undefined) return Post.text(keyOf(card), shown.sameFile(line, oneLine(twin, 100)))
  if (card.size !== undefined && card.size > uploadLimit) {
    return Post.text(keyOf(card), shown.fileTooLarge(line, bytes(uploadLimit)))
  }
  const file = { name, uri: card.uri, version: card.version }
  if (!card.image) return { ...Post.text(keyOf(card), line), files: [file] }
  const boxed = Post.box(keyOf(card), {
    title: titleOf(card, card.name, shown),
    image: name,
    color: colors.plan,
    footer: `${oneLine(card.name, 200)}${size}`
  })
  return { ...boxed, files: [file] }
}

const overview = (card: Of<"overview">, shown: Shown): Post.Post =>
  Post.box(keyOf(card), {
    title: titleOf(card, shown.summary, shown),
    description: body(card.text, card.title, shown),
    color: card.deleted ? colors.past : colors.overview
  })
