import {
  type Conversation,
  type ToolCallStep,
  type End,
  type Item,
  maxSteps,
  type Notice,
  type AgentMessage,
  plausibleTokens
} from "../model/Conversation.ts"
import { lookup } from "../text/Lookup.ts"
import * as ArtifactCards from "./ArtifactCards.ts"
import { colors } from "./Colors.ts"
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
import { stepLines, type Steps } from "./ToolCallLines.ts"

/** The limit of posts with text, steps and notices in one turn; requests do not count. */
const maxPosts = 100

/** After a stop, a rest up to this length is still posted. */
const maxPostsAfterStop = 3

/** The posts of one turn, in reading order. */
export const posts = (turn: Conversation, messages: Messages): ReadonlyArray<Post.Post> =>
  view("", messages, 10 * 1024 * 1024)(turn)

/**
 * {@link posts} for a running turn of a named task. A page that was full before keeps its post object. `isPosted`
 * returns whether a key's post is in the thread: unposted requests are not withdrawn in public, and after a stop no
 * long rest is posted. At the end a long answer also comes as a file, with the text that exceeds the posts. A file
 * above Discord's upload limit is split.
 */
export const view = (
  taskName: string,
  messages: Messages,
  uploadLimit: number
): ((turn: Conversation, isPosted?: (key: string) => boolean) => ReadonlyArray<Post.Post>) => {
  const toPosts = AnswerPosts.makeAnswerPosts()
  const files = memoizeLast((text: string) => AnswerPosts.splitIntoFiles(text, uploadLimit))
  const context = ({ turnId }: Conversation): ArtifactCards.Context => ({ turnId, uploadLimit, messages })
  return (turn, isPosted = () => true) => {
    const { cutoff, pages, posts } = buildBody(turn, toPosts, isPosted, messages)
    const answer =
      turn.end !== undefined && (cutoff !== undefined || (pages > 3 && isLong(turn)))
        ? wholeAnswer(turn, taskName, files, messages)
        : []
    const isInFile = cutoff?.hasText === true && answer.length > 0
    return [
      ...ArtifactCards.cardsAbove(turn.cards, context(turn)),
      ...(cutoff === undefined
        ? posts
        : posts.toSpliced(cutoff.at, 0, restPost("rest", turn, cutoff, isInFile, messages))),
      ...ArtifactCards.cardsBelow(turn.cards, turn.end !== undefined, context(turn)),
      ...answer,
      ...requestCounts(turn, messages),
      ...(turn.notice === undefined ? [] : [notice(turn.notice, messages)]),
      ...(turn.end === undefined || turn.lateOutput === true ? [] : [end(turn.end, turn, messages)])
    ]
  }
}

/** Caches the posts of the newest text. */
const memoizeLast = <A>(make: (text: string) => A): ((text: string) => A) => {
  let cached: { readonly text: string; readonly result: A } | undefined
  return (text) => {
    if (cached?.text !== text) cached = { text, result: make(text) }
    return cached.result
  }
}

/** Where a turn's posts stop before its end, and what is omitted from there. */
interface Cutoff {
  readonly at: number
  readonly hasText: boolean
  readonly characters: number
  readonly steps: number
  readonly stopped: boolean
}

interface Body {
  readonly posts: ReadonlyArray<Post.Post>
  readonly pages: number
  readonly cutoff: Cutoff | undefined
}

const buildBody = (
  turn: Conversation,
  toPosts: (message: AgentMessage, isComplete: boolean) => AnswerPosts.AnswerPosts,
  isPosted: (key: string) => boolean,
  messages: Messages
): Body => {
  const made: Array<Post.Post> = []
  const newest = turn.items.at(-1)
  let remaining = maxPosts
  let cutIndex: number | undefined
  const omitted = { characters: 0, steps: 0 }
  let pages = 0
  let steps: Steps | undefined
  const addStep = (call: ToolCallStep) => {
    const count = 1 + (call.skipped ?? 0)
    if (steps === undefined && remaining === 0) return void (omitted.steps += count)
    if (steps === undefined) {
      steps = { first: call.id, count: 0, newest: [] }
      remaining--
    }
    steps.count += count
    if (steps.newest.push(call) > 4 * maxSteps) steps.newest = steps.newest.slice(-maxSteps)
  }
  const flush = () => {
    if (steps !== undefined) made.push(Post.text(`tools:${steps.first}`, stepLines(steps, turn.end, messages)))
    steps = undefined
  }
  const addMessage = (item: AgentMessage) => {
    if (remaining === 0) return void (omitted.characters += item.text.length)
    const { hiddenChars: hidden, posts } = toPosts(item, turn.end !== undefined || item !== newest)
    const shown = posts.slice(0, remaining)
    made.push(...shown)
    remaining -= shown.length
    pages += shown.length
    for (const { content } of posts.slice(shown.length)) omitted.characters += content.length
    if (hidden === 0) return
    if (remaining === 0) return void (omitted.characters += hidden)
    remaining--
    pages = Number.POSITIVE_INFINITY
    made.push(
      restPost(`more:${item.id}`, turn, { hasText: true, characters: hidden, steps: 0, stopped: false }, true, messages)
    )
  }
  for (const item of turn.items) {
    if (item._tag === "ToolCallStep") {
      addStep(item)
      if (steps === undefined) cutIndex ??= made.length
      continue
    }
    if (item._tag === "AgentRequest" && item.outcome._tag === "Withdrawn" && !isPosted(RequestCard.postKey(item)))
      continue
    flush()
    if (item._tag === "AgentMessage") addMessage(item)
    else if (item._tag === "AgentRequest") made.push(RequestCard.post(item, messages, requestEndReason(turn)))
    else if (remaining > 0) {
      remaining--
      made.push(Post.text(`remark:${item.id}`, `-# ℹ️ ${plain(oneLine(item.text, 1500)) || "…"}`))
    }
    if (omitted.characters > 0) cutIndex ??= made.length
  }
  flush()
  const unposted = turn.stopped === true ? made.filter((post) => !isRequestCard(post) && !isPosted(post.key)) : []
  if (unposted.length > maxPostsAfterStop) {
    const unpostedSet = new Set(unposted)
    const at = made.findIndex((post) => unpostedSet.has(post))
    const posts = made.filter((post) => !unpostedSet.has(post))
    return {
      posts,
      pages,
      cutoff: { at, hasText: turn.items.some(isAgentMessage), characters: 0, steps: 0, stopped: true }
    }
  }
  const cutoff =
    cutIndex === undefined ? undefined : { at: cutIndex, hasText: omitted.characters > 0, ...omitted, stopped: false }
  return { posts: made, pages, cutoff }
}

/** Why open requests can no longer be answered when a turn ends. */
const requestEndReason = ({ end, notice, stopped }: Conversation): keyof Messages["requestCards"]["withdrawnText"] => {
  if (notice?._tag === "Reconnect" && notice.disconnected === true) return "disconnected"
  if (stopped === true || (end?._tag === "Done" && end.stopReason === "cancelled")) return "stopped"
  return end?._tag === "Failed" || end?.stopReason === "interrupted" ? "interrupted" : "other"
}

/** Stands for the rest that is not posted. */
const restPost = (
  key: string,
  { end }: Conversation,
  { characters, steps, stopped, hasText: words }: Omit<Cutoff, "at">,
  file: boolean,
  { turnPosts }: Messages
): Post.Post =>
  Post.text(
    key,
    end === undefined && words ? turnPosts.moreComesAsFile : turnPosts.omittedRest({ characters, file, steps, stopped })
  )

/** Whether the text exceeds one message by itself, without steps and tables. */
const isLong = ({ items }: Conversation): boolean =>
  items.reduce((sum, item) => (isAgentMessage(item) ? sum + item.text.length : sum), 0) > Pages.limit

const isAgentMessage = (item: Item): item is AgentMessage => item._tag === "AgentMessage"

const isRequestCard = ({ key }: Post.Post): boolean => key.startsWith("asked:")

/** The agent's whole text of a turn as one or more files. */
const wholeAnswer = (
  turn: Conversation,
  taskName: string,
  files: (text: string) => ReadonlyArray<string>,
  { turnPosts }: Messages
): ReadonlyArray<Post.Post> => {
  const text = turn.items
    .filter(isAgentMessage)
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
const requestCounts = (
  { end, waitingRequests = 0, refusedRequests = 0 }: Conversation,
  { requestCards }: Messages
): ReadonlyArray<Post.Post> => [
  ...(refusedRequests === 0 ? [] : [Post.text("refused", requestCards.requestsRefused(refusedRequests))]),
  ...(waitingRequests === 0 || end !== undefined
    ? []
    : [Post.text("held", requestCards.requestsWaiting(waitingRequests))])
]

const notice = (what: Notice, { turnPosts }: Messages): Post.Post => ({
  ...Post.text("notice", what.text),
  rows:
    what._tag === "Reconnect" ? [[{ label: turnPosts.connectButton, style: "primary", customId: what.customId }]] : []
})

const end = (ending: End, { cardLinks, prompt = "" }: Conversation, messages: Messages): Post.Post => {
  const { turnPosts } = messages
  const changed = cardLinks.slice(0, 5).map(({ card, url }) => `[${plain(titleOf(card, messages, 60)) || "…"}](${url})`)
  const links = changed.length === 0 ? [] : [turnPosts.changedAbove(changed, cardLinks.length - changed.length)]
  if (ending._tag === "Failed") {
    const box = Post.embed("end", {
      title: turnPosts.failed,
      description: truncate(ending.text, 4000),
      color: colors.bad
    })
    return { ...box, content: links.join("\n") }
  }
  const reason =
    ending.stopReason === "end_turn"
      ? turnPosts.done
      : (lookup<string>(turnPosts.stopped, ending.stopReason) ?? turnPosts.ended(code(ending.stopReason)))
  // A clock that was set back makes it negative.
  const duration = ending.milliseconds >= 0 ? [formatDuration(ending.milliseconds, turnPosts)] : []
  const tokens = plausibleTokens(ending.tokens)
  const usage = tokens === undefined ? [] : [turnPosts.tokens(tokens)]
  const footer = `-# ${[reason, ...duration, ...usage].join(" · ")}`
  // A person who repeats the message has to recognize it.
  const promptLine = ending.stopReason === "interrupted" ? oneLine(prompt, 80) : ""
  return Post.text(
    "end",
    [...links, ...(promptLine === "" ? [] : [turnPosts.interruptedPrompt(promptLine)]), footer].join("\n")
  )
}

/** An unknown value as inline code; empty without visible characters. */
const code = (reason: string): string => {
  const shown = oneLine(reason, 60).replaceAll("`", "'")
  return shown === "" ? "" : `\`${shown}\``
}
