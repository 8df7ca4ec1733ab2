import {
  type Above,
  type Conversation,
  type Did,
  type End,
  isUnfinished,
  type Item,
  type Notice,
  type Said
} from "../thread/Conversation.ts"
import * as Ask from "./Ask.ts"
import * as Cards from "./Cards.ts"
import { titleOf } from "./CardTitle.ts"
import type { Messages } from "../messages/Messages.ts"
import { answerName, duration, fit, oneLine, plain } from "./Fit.ts"
import * as Pages from "./Pages.ts"
import * as Post from "./Post.ts"

/** The posts of one turn, in the order in which a reader should find them. */
export const posts = (turn: Conversation, messages: Messages): ReadonlyArray<Post.Post> =>
  view("", messages, 10 * 1024 * 1024)(turn)

/**
 * {@link posts} for a turn of a named task that goes on: a page that was full before is not made again, and its post is
 * the same object. A long answer also comes as one file, once it has ended, unless it has more bytes than Discord takes.
 */
export const view = (
  taskName: string,
  messages: Messages,
  uploadLimit: number
): ((turn: Conversation) => ReadonlyArray<Post.Post>) => {
  const texts = new Map<string, ReturnType<typeof said>>()
  const text = (item: Said, ended: boolean) => {
    const known = texts.get(item.id) ?? said(item.id)
    texts.set(item.id, known)
    return known(item.text, ended)
  }
  const contextOf = ({ turnId }: Conversation): Cards.Context => ({ turnId, uploadLimit, messages })
  return (turn) => [
    ...Cards.opening(turn.cards, contextOf(turn)),
    ...runs(turn.items.map((item) => settled(item, turn.end))).flatMap((each) =>
      each._tag === "Said" ? text(each, turn.end !== undefined || each !== turn.items.at(-1)) : [run(each, messages)]
    ),
    ...Cards.closing(turn.cards, turn.end !== undefined, contextOf(turn)),
    ...(turn.end === undefined
      ? []
      : whole(turn, taskName, contextOf(turn), turn.items.filter(isSaid).flatMap((item) => text(item, true)).length)),
    ...(turn.notice === undefined ? [] : [notice(turn.notice, messages)]),
    ...(turn.end === undefined ? [] : [end(turn.end, turn.above, messages)])
  ]
}

/** The posts of a run of words that grows. */
const said = (id: string) => {
  const pages = Pages.splitter()
  const made = new WeakMap<Pages.Page, Post.Post>()
  return (words: string, ended: boolean): ReadonlyArray<Post.Post> =>
    pages(words, ended).flatMap((page, index) => {
      if (page.content === "") return []
      const post = made.get(page) ?? Post.text(`text:${id}:${index}`, page.content)
      made.set(page, post)
      return [post]
    })
}

/** After a turn that was cut off, nothing goes on that it had begun. */
const settled = (item: Item, end: End | undefined): Item => {
  if (item._tag !== "Did" || !isUnfinished(item.status) || end === undefined) return item
  return end._tag === "Done" && end.stopReason === "end_turn" ? item : { ...item, status: "cancelled" }
}

const isSaid = (item: Item): item is Said => item._tag === "Said"

/** All that the agent said in a turn as one file, when it is long. */
const whole = (
  turn: Conversation,
  taskName: string,
  { messages: { shown }, uploadLimit }: Cards.Context,
  pages: number
): ReadonlyArray<Post.Post> => {
  if (pages <= 3) return []
  const text = turn.items
    .filter(isSaid)
    .map((item) => item.text)
    .join("\n\n")
  if (Buffer.byteLength(text) > uploadLimit) return []
  const name = answerName(taskName, turn.turnId)
  return [
    {
      ...Post.text("answer", shown.wholeAnswer),
      files: [{ name, uri: `answer:${turn.turnId}`, version: String(text.length), text }]
    }
  ]
}

type Run = Exclude<Item, Did> | { readonly _tag: "Tools"; readonly calls: readonly [Did, ...Array<Did>] }

/** Tool calls that follow each other share one post. */
const runs = (items: ReadonlyArray<Item>): ReadonlyArray<Run> => {
  const out: Array<Run> = []
  for (const item of items) {
    const last = out.at(-1)
    if (item._tag !== "Did") out.push(item)
    else if (last?._tag === "Tools") out[out.length - 1] = { _tag: "Tools", calls: [...last.calls, item] }
    else out.push({ _tag: "Tools", calls: [item] })
  }
  return out
}

const run = (each: Exclude<Run, Said>, messages: Messages): Post.Post => {
  switch (each._tag) {
    case "Tools":
      return Post.text(`tools:${each.calls[0].id}`, tools(each.calls, messages))
    case "Asked":
      return Ask.post(each, messages)
    case "Remarked":
      return Post.text(`remark:${each.id}`, `-# ℹ️ ${plain(oneLine(each.text, 1500))}`)
  }
}

const signs: Record<string, string> = { pending: "▢", in_progress: "▸", completed: "✅", failed: "❌", cancelled: "✖" }

/** The newest calls that fit one message; how many older ones there are is said. */
const tools = (calls: ReadonlyArray<Did>, messages: Messages): string => {
  const lines = calls.map((call) => `-# ${signs[call.status] ?? "▸"} ${plain(oneLine(call.title, 150))}`)
  const shown: Array<string> = []
  let room = Pages.limit - 40
  for (const line of lines.toReversed()) {
    room -= line.length + 1
    if (room < 0) break
    shown.unshift(line)
  }
  const hidden = lines.length - shown.length
  return [...(hidden > 0 ? [messages.shown.earlierSteps(hidden)] : []), ...shown].join("\n")
}

const notice = (what: Notice, { shown }: Messages): Post.Post => ({
  ...Post.text("notice", what.text),
  buttons:
    what._tag === "Reconnect" ? [[{ label: shown.connectButton, style: "primary", customId: what.customId }]] : []
})

const end = (how: End, above: ReadonlyArray<Above>, messages: Messages): Post.Post => {
  const { shown } = messages
  const changed = above.slice(0, 5).map(({ card, url }) => `[${plain(titleOf(card, messages, 60)) || "…"}](${url})`)
  const links = changed.length === 0 ? [] : [shown.changedAbove(changed, above.length - changed.length)]
  if (how._tag === "Failed") {
    const box = Post.box("end", { title: shown.failed, description: fit(how.text, 4000), color: Cards.colors.bad })
    return { ...box, content: links.join("\n") }
  }
  const stopped: Readonly<Record<string, string>> = shown.stopped
  const word =
    how.stopReason === "end_turn" ? shown.done : (stopped[how.stopReason] ?? shown.ended(oneLine(how.stopReason, 60)))
  const used = how.tokens === undefined ? [] : [shown.tokens(how.tokens)]
  const footer = `-# ${[word, duration(how.milliseconds, shown), ...used].join(" · ")}`
  return Post.text("end", [...links, footer].join("\n"))
}
