import type { Messages } from "../messages/Messages.ts"
import type { ArtifactCard, Overview, Plan, Tasks } from "../model/ArtifactCard.ts"
import { lookup } from "../text/Lookup.ts"
import { isKindOnly, titleOf as titleIn } from "./artifact/CardTitle.ts"
import { describe } from "./artifact/Description.ts"
import { colors } from "./Colors.ts"
import { plain } from "../text/Escape.ts"
import { oneLine, truncate, truncateLines } from "../text/Truncate.ts"
import * as Pages from "../text/Pages.ts"
import * as MediaCard from "./artifact/MediaCard.ts"
import * as OtherCard from "./artifact/OtherCard.ts"
import { repeatsItems, repeatsWords } from "./artifact/Repetition.ts"
import * as Post from "../model/Post.ts"

/** The context of an artifact card. */
export interface Context {
  /** The turn that shows it. */
  readonly turnId: string
  /** All words of the turn, after its end. */
  readonly words: string | undefined
  /** The text of the message that started the turn. */
  readonly prompt: string
  /** Discord's upload limit in the server, in bytes. */
  readonly uploadLimit: number
  readonly messages: Messages
  /** Whether a key's post is in the thread. */
  readonly isPosted: (key: string) => boolean
}

/** The cards above a turn's answer: earlier ones that it changed, then its plan and its task list. */
export const cardsAbove = (cards: ReadonlyArray<ArtifactCard>, context: Context): ReadonlyArray<Post.Post> => {
  const changed = cards.filter(
    (card) => card.changedIn === context.turnId && card.madeIn !== context.turnId && !isOwnSummary(card, context)
  )
  const made = madeIn(cards, context).filter(({ body }) => body._tag === "Plan" || body._tag === "Tasks")
  const shown = [...changed, ...made]
  const tasks = shown.flatMap(({ body }) => (body._tag === "Tasks" ? body.items : [])).map(({ content }) => content)
  return shown
    .filter((card) => isShown(card, context) || !repeats(card, tasks, context))
    .map((card) => post(card, context))
}

/** The cards below a turn's answer: its files, artifacts of unknown types and, after the end, its summary. */
export const cardsBelow = (cards: ReadonlyArray<ArtifactCard>, context: Context): ReadonlyArray<Post.Post> => {
  const turnCards = madeIn(cards, context)
  const summaries = cards.filter(
    (card) => isOwnSummary(card, context) && (isShown(card, context) || !repeats(card, [], context))
  )
  const files = turnCards.filter(({ body }) => body._tag === "Media" || body._tag === "Other")
  const hiddenCount = files.length - maxFiles
  return [
    ...files.slice(0, maxFiles).map((card) => post(card, context)),
    ...(hiddenCount > 0 ? [Post.text("files", context.messages.turnPosts.moreFiles(hiddenCount))] : []),
    ...summaries.map((card) => post(card, context))
  ]
}

/** A plan of the same as the task list, and a summary that only repeats the words of its turn, or comes before their end. */
const repeats = (card: ArtifactCard, tasks: ReadonlyArray<string>, { prompt, words }: Context): boolean => {
  const { body } = card
  if (body._tag !== "Plan" && body._tag !== "Overview") return false
  if (body._tag === "Overview" && words === undefined) return true
  const { description, text, title } = body
  if (!isKindOnly(card) || (description ?? title) !== title) return false
  return body._tag === "Plan" ? repeatsItems(text, tasks, title, prompt) : repeatsWords(text, words ?? "", title)
}

/** The limit of file cards per turn. */
const maxFiles = 50

const madeIn = (cards: ReadonlyArray<ArtifactCard>, { turnId }: Context): ReadonlyArray<ArtifactCard> =>
  cards.filter((card) => card.madeIn === turnId)

/** A summary that the turn made, or one of an earlier turn that it changed and that is in no post. */
const isOwnSummary = (card: ArtifactCard, context: Context): boolean =>
  card.body._tag === "Overview" &&
  (card.madeIn === context.turnId || (card.changedIn === context.turnId && !isShown(card, context)))

const isShown = ({ uri }: ArtifactCard, { isPosted }: Context): boolean => isPosted(Post.artifactCardKey(uri))

/** The cached post of an unchanged card. */
const post = (card: ArtifactCard, context: Context): Post.Post => {
  const cached = postCache.get(card)
  if (cached?.messages === context.messages && cached.uploadLimit === context.uploadLimit) return cached.post
  const created = postOf(card, context)
  postCache.set(card, { messages: context.messages, uploadLimit: context.uploadLimit, post: created })
  return created
}

const postCache = new WeakMap<ArtifactCard, Pick<Context, "messages" | "uploadLimit"> & { readonly post: Post.Post }>()

const postOf = (card: ArtifactCard, { messages, uploadLimit }: Context): Post.Post => {
  const { body } = card
  switch (body._tag) {
    case "Plan":
      return plan(card, body, messages)
    case "Tasks":
      return tasks(card, body, messages)
    case "Media":
      return MediaCard.post(card, body, uploadLimit, messages)
    case "Overview":
      return overview(card, body, messages)
    case "Other":
      return OtherCard.post(card, body, messages)
  }
}

const titleOf = ({ deleted }: ArtifactCard, title: string, turnPosts: Messages["turnPosts"]): string =>
  truncate(deleted ? `🗑️ ${turnPosts.deleted(title)}` : title, 256)

/** A card's Markdown for Discord, without a heading that repeats the card's title. */
const document = (
  card: ArtifactCard,
  body: Overview | Plan,
  turnPosts: Messages["turnPosts"]
): { readonly description: string; readonly files: ReadonlyArray<Post.FileRef> } => {
  const { text: markdown, title } = body
  const [first = "", ...rest] = markdown.trimStart().split("\n")
  const heading = /^#+\s+(.*?)\s*$/.exec(first)?.[1]
  const text = heading?.toLowerCase() === title.trim().toLowerCase() ? rest.join("\n").trimStart() : markdown
  const rendered = Pages.unsplit(text)
  const shown = truncateLines(rendered, 4000 - describe(body, "").length, turnPosts.moreCharacters)
  return {
    description: describe(body, shown),
    files: shown === rendered || card.deleted ? [] : [textFile(card, ".md", markdown)]
  }
}

/** A text as a file, which Discord shows folded. */
const textFile = ({ number, uri }: ArtifactCard, extension: string, text: string): Post.FileRef => ({
  name: `${/([\w-]{1,60})(?:\.\w+)?$/.exec(uri)?.[1] ?? number}${extension}`,
  uri: `${uri}${extension}`,
  version: text,
  text
})

const plan = (card: ArtifactCard, body: Plan, messages: Messages): Post.Post => {
  const { artifacts, turnPosts } = messages
  const { change, version } = body
  const { description, files } = document(card, body, turnPosts)
  const diff = change === undefined || card.deleted ? [] : [textFile(card, versionEnding(version), change.unified)]
  const footer = [
    ...(version === undefined ? [] : [turnPosts.planVersion(version)]),
    ...(change === undefined ? [] : [turnPosts.planChange(change.added, change.removed)])
  ].join(" · ")
  return {
    ...Post.embed(Post.artifactCardKey(card.uri), {
      title: titleOf(card, `📋 ${titleIn(card, messages, 200)}`, turnPosts),
      description,
      color: card.deleted ? colors.past : colors.plan,
      ...(footer === "" ? {} : { footer })
    }),
    files: [...files, ...diff],
    rows:
      change === undefined
        ? []
        : [[{ label: artifacts.versionsButton, style: "secondary", customId: `f1:v:${card.number}` }]]
  }
}

const versionEnding = (version: number | undefined): string => (version === undefined ? ".diff" : `-v${version}.diff`)

const signs: Readonly<Record<string, string>> = { completed: "✅", in_progress: "▶️", pending: "⬜", cancelled: "✖️" }

const tasks = (card: ArtifactCard, body: Tasks, messages: Messages): Post.Post => {
  const { turnPosts } = messages
  const { cancelled, done, items, total } = body
  const states: Readonly<Record<string, string>> = turnPosts.taskStates
  const lines = items.map(({ content, status }) => {
    const text = plain(oneLine(content, 200)) || "…"
    const state = lookup(states, status) ?? plain(oneLine(status, 30))
    const styled = status === "cancelled" ? `~~${text}~~` : status === "in_progress" ? `**${text}**` : text
    return `${lookup(signs, status) ?? "▫️"} ${styled} — *${state}*`
  })
  const room = 3800 - describe(body, "").length
  const summary = `${bar(done, total)} ${turnPosts.tasksDone(done, total, cancelled)}`
  return Post.embed(Post.artifactCardKey(card.uri), {
    title: titleOf(card, `☑️ ${titleIn(card, messages, 200)}`, turnPosts),
    description: describe(body, `${summary}\n\n${truncateLines(lines.join("\n"), room, turnPosts.moreCharacters)}`),
    color: card.deleted ? colors.past : done === total && done > 0 ? colors.good : colors.tasks
  })
}

/** Ten blocks; full only when all is done, and empty only when nothing is. */
const bar = (done: number, total: number): string => {
  const share = total === 0 ? 0 : (done / total) * 10
  const full = share >= 10 ? 10 : share > 0 ? Math.min(9, Math.max(1, Math.round(share))) : 0
  return `${"■".repeat(full)}${"□".repeat(10 - full)}`
}

const overview = (card: ArtifactCard, body: Overview, messages: Messages): Post.Post => {
  const { turnPosts } = messages
  const { description, files } = document(card, body, turnPosts)
  return {
    ...Post.embed(Post.artifactCardKey(card.uri), {
      title: titleOf(card, `🏁 ${titleIn(card, messages, 200)}`, turnPosts),
      description,
      color: card.deleted ? colors.past : colors.overview
    }),
    files
  }
}
