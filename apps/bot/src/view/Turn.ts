import {
  type Conversation,
  type ToolCallStep,
  type End,
  isUnfinished,
  type Item,
  mostSteps,
  type Notice,
  type AgentMessage,
  saneTokens
} from "../model/Conversation.ts"
import { lookup } from "../text/Lookup.ts"
import * as Cards from "./Cards.ts"
import * as RequestCard from "./RequestCard.ts"
import { titleOf } from "./artifact/CardTitle.ts"
import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import { answerName } from "../text/FileName.ts"
import { formatDuration } from "../text/Format.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import * as Pages from "../text/Pages.ts"
import * as Post from "../model/Post.ts"
import * as AnswerPosts from "./AnswerPosts.ts"

/** The limit of posts with text, steps and notices in one turn; requests do not count. */
const mostPosts = 100

/** After a stop, a rest up to this length is still posted. */
const mostAfterStop = 3

/** The posts of one turn, in reading order. */
export const posts = (turn: Conversation, messages: Messages): ReadonlyArray<Post.Post> =>
  view("", messages, 10 * 1024 * 1024)(turn)

/**
 * {@link posts} for a running turn of a named task. A page that was full before keeps its post object. `isThere`
 * returns whether a key's post is in the thread: unposted requests are not withdrawn in public, and after a stop no
 * long rest is posted. At the end a long answer also comes as a file, with the text that exceeds the posts. A file
 * above Discord's upload limit is split.
 */
export const view = (
  taskName: string,
  messages: Messages,
  uploadLimit: number
): ((turn: Conversation, isThere?: (key: string) => boolean) => ReadonlyArray<Post.Post>) => {
  const text = AnswerPosts.growing()
  const files = kept((text: string) => AnswerPosts.files(text, uploadLimit))
  const context = ({ turnId }: Conversation): Cards.Context => ({ turnId, uploadLimit, messages })
  return (turn, isThere = () => true) => {
    const { cut, pages, posts } = body(turn, text, isThere, messages)
    const answer =
      turn.end !== undefined && (cut !== undefined || (pages > 3 && isLong(turn)))
        ? whole(turn, taskName, files, messages)
        : []
    const filed = cut?.words === true && answer.length > 0
    return [
      ...Cards.opening(turn.cards, context(turn)),
      ...(cut === undefined ? posts : posts.toSpliced(cut.at, 0, rest("rest", turn, cut, filed, messages))),
      ...Cards.closing(turn.cards, turn.end !== undefined, context(turn)),
      ...answer,
      ...asking(turn, messages),
      ...(turn.notice === undefined ? [] : [notice(turn.notice, messages)]),
      ...(turn.end === undefined || turn.lateOutput === true ? [] : [end(turn.end, turn, messages)])
    ]
  }
}

/** Caches the posts of the newest text. */
const kept = <A>(make: (text: string) => A): ((text: string) => A) => {
  let last: { readonly text: string; readonly made: A } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) }
    return last.made
  }
}

/** Where a turn's posts stop before its end, and the rest. */
interface Cut {
  readonly at: number
  readonly words: boolean
  readonly characters: number
  readonly steps: number
  readonly stopped: boolean
}

interface Body {
  readonly posts: ReadonlyArray<Post.Post>
  readonly pages: number
  readonly cut: Cut | undefined
}

/** Consecutive steps that share one post. */
interface Steps {
  readonly first: string
  count: number
  newest: Array<ToolCallStep>
}

const body = (
  turn: Conversation,
  text: (said: AgentMessage, ended: boolean) => AnswerPosts.AnswerPosts,
  isThere: (key: string) => boolean,
  messages: Messages
): Body => {
  const made: Array<Post.Post> = []
  const last = turn.items.at(-1)
  let room = mostPosts
  let cutAt: number | undefined
  const left = { characters: 0, steps: 0 }
  let pages = 0
  let steps: Steps | undefined
  const step = (did: ToolCallStep) => {
    const count = 1 + (did.skipped ?? 0)
    if (steps === undefined && room === 0) return void (left.steps += count)
    if (steps === undefined) {
      steps = { first: did.id, count: 0, newest: [] }
      room--
    }
    steps.count += count
    if (steps.newest.push(did) > 4 * mostSteps) steps.newest = steps.newest.slice(-mostSteps)
  }
  const flush = () => {
    if (steps !== undefined) made.push(Post.text(`tools:${steps.first}`, lines(steps, turn.end, messages)))
    steps = undefined
  }
  const say = (item: AgentMessage) => {
    if (room === 0) return void (left.characters += item.text.length)
    const { hidden, posts } = text(item, turn.end !== undefined || item !== last)
    const shown = posts.slice(0, room)
    made.push(...shown)
    room -= shown.length
    pages += shown.length
    for (const { content } of posts.slice(shown.length)) left.characters += content.length
    if (hidden === 0) return
    if (room === 0) return void (left.characters += hidden)
    room--
    pages = Number.POSITIVE_INFINITY
    made.push(
      rest(`more:${item.id}`, turn, { words: true, characters: hidden, steps: 0, stopped: false }, true, messages)
    )
  }
  for (const item of turn.items) {
    if (item._tag === "ToolCallStep") {
      step(item)
      if (steps === undefined) cutAt ??= made.length
      continue
    }
    if (item._tag === "AgentRequest" && item.outcome._tag === "Withdrawn" && !isThere(RequestCard.keyOf(item))) continue
    flush()
    if (item._tag === "AgentMessage") say(item)
    else if (item._tag === "AgentRequest") made.push(RequestCard.post(item, messages, closed(turn)))
    else if (room > 0) {
      room--
      made.push(Post.text(`remark:${item.id}`, `-# ℹ️ ${plain(oneLine(item.text, 1500)) || "…"}`))
    }
    if (left.characters > 0) cutAt ??= made.length
  }
  flush()
  const late = turn.stopped === true ? made.filter((post) => !isAsk(post) && !isThere(post.key)) : []
  if (late.length > mostAfterStop) {
    const gone = new Set(late)
    const at = made.findIndex((post) => gone.has(post))
    const posts = made.filter((post) => !gone.has(post))
    return { posts, pages, cut: { at, words: turn.items.some(isMessage), characters: 0, steps: 0, stopped: true } }
  }
  const cut = cutAt === undefined ? undefined : { at: cutAt, words: left.characters > 0, ...left, stopped: false }
  return { posts: made, pages, cut }
}

/** Why open requests can no longer be answered when a turn ends. */
const closed = ({ end, notice, stopped }: Conversation): keyof Messages["requestCards"]["withdrawnText"] => {
  if (notice?._tag === "Reconnect" && notice.disconnected === true) return "disconnected"
  if (stopped === true || (end?._tag === "Done" && end.stopReason === "cancelled")) return "stopped"
  return end?._tag === "Failed" || end?.stopReason === "interrupted" ? "interrupted" : "other"
}

/** Stands for the rest that is not posted. */
const rest = (
  key: string,
  { end }: Conversation,
  { characters, steps, stopped, words }: Omit<Cut, "at">,
  file: boolean,
  { turnPosts }: Messages
): Post.Post =>
  Post.text(key, end === undefined && words ? turnPosts.goesOn : turnPosts.rest({ characters, file, steps, stopped }))

/** After an interrupted turn, unfinished steps have ended, too. */
const settled = (item: ToolCallStep, end: End | undefined): string => {
  if (!isUnfinished(item.status) || end === undefined) return item.status
  return end._tag === "Done" && end.stopReason === "end_turn" ? item.status : "cancelled"
}

/** Whether the text exceeds one message by itself, without steps and tables. */
const isLong = ({ items }: Conversation): boolean =>
  items.reduce((sum, item) => (isMessage(item) ? sum + item.text.length : sum), 0) > Pages.limit

const isMessage = (item: Item): item is AgentMessage => item._tag === "AgentMessage"

const isAsk = ({ key }: Post.Post): boolean => key.startsWith("asked:")

/** The agent's whole text of a turn as one or more files. */
const whole = (
  turn: Conversation,
  taskName: string,
  files: (text: string) => ReadonlyArray<string>,
  { turnPosts }: Messages
): ReadonlyArray<Post.Post> => {
  const text = turn.items
    .filter(isMessage)
    .map((item) => item.text)
    .join("\n\n")
  const parts = files(text)
  return parts.map((part, index) => {
    const number = parts.length === 1 ? undefined : index + 1
    const key = index === 0 ? "answer" : `answer:${index + 1}`
    return {
      ...Post.text(key, index === 0 ? turnPosts.wholeAnswer(parts.length) : ""),
      files: [
        {
          name: answerName(taskName, turn.turnId, number),
          uri: `${key}:${turn.turnId}`,
          version: String(part.length),
          text: part
        }
      ]
    }
  })
}

/** The numbers of waiting and of refused requests. */
const asking = ({ end, held = 0, refused = 0 }: Conversation, { requestCards }: Messages): ReadonlyArray<Post.Post> => [
  ...(refused === 0 ? [] : [Post.text("refused", requestCards.tooMany(refused))]),
  ...(held === 0 || end !== undefined ? [] : [Post.text("held", requestCards.held(held))])
]

const signs = { pending: "▢", in_progress: "▸", completed: "✅", failed: "❌", cancelled: "✖" }

/** The newest steps that fit one message, and the number of older ones. */
const lines = ({ count, newest }: Steps, end: End | undefined, messages: Messages): string => {
  const shown: Array<string> = []
  let room = Pages.limit - 40
  for (const call of newest.slice(-mostSteps).toReversed()) {
    const words = plain(oneLine(call.title, 150)) || messages.requestCards.tool
    const line = `-# ${lookup(signs, settled(call, end)) ?? "▸"} ${words}`
    room -= line.length + 1
    if (room < 0) break
    shown.unshift(line)
  }
  const hidden = count - shown.length
  return [...(hidden > 0 ? [messages.turnPosts.earlierSteps(hidden)] : []), ...shown].join("\n")
}

const notice = (what: Notice, { turnPosts }: Messages): Post.Post => ({
  ...Post.text("notice", what.text),
  buttons:
    what._tag === "Reconnect" ? [[{ label: turnPosts.connectButton, style: "primary", customId: what.customId }]] : []
})

const end = (how: End, { cardLinks, prompt = "" }: Conversation, messages: Messages): Post.Post => {
  const { turnPosts } = messages
  const changed = cardLinks.slice(0, 5).map(({ card, url }) => `[${plain(titleOf(card, messages, 60)) || "…"}](${url})`)
  const links = changed.length === 0 ? [] : [turnPosts.changedAbove(changed, cardLinks.length - changed.length)]
  if (how._tag === "Failed") {
    const box = Post.box("end", {
      title: turnPosts.failed,
      description: truncate(how.text, 4000),
      color: Cards.colors.bad
    })
    return { ...box, content: links.join("\n") }
  }
  const word =
    how.stopReason === "end_turn"
      ? turnPosts.done
      : (lookup<string>(turnPosts.stopped, how.stopReason) ?? turnPosts.ended(code(how.stopReason)))
  // A clock that was set back makes it negative.
  const took = how.milliseconds >= 0 ? [formatDuration(how.milliseconds, turnPosts)] : []
  const tokens = saneTokens(how.tokens)
  const used = tokens === undefined ? [] : [turnPosts.tokens(tokens)]
  const footer = `-# ${[word, ...took, ...used].join(" · ")}`
  // A person who repeats the message has to recognize it.
  const about = how.stopReason === "interrupted" ? oneLine(prompt, 80) : ""
  return Post.text("end", [...links, ...(about === "" ? [] : [turnPosts.was(about)]), footer].join("\n"))
}

/** An unknown value as inline code; empty without visible characters. */
const code = (word: string): string => {
  const shown = oneLine(word, 60).replaceAll("`", "'")
  return shown === "" ? "" : `\`${shown}\``
}
