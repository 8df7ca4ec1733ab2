import { type AgentMessage, type Conversation, type Item, maxSteps, type ToolCallStep } from "../model/Conversation.ts"
import type { Messages } from "../messages/Messages.ts"
import * as Post from "../model/Post.ts"
import { plain } from "../text/Escape.ts"
import * as Pages from "../text/Pages.ts"
import { oneLine } from "../text/Truncate.ts"
import * as AgentAttachment from "./artifact/AgentAttachment.ts"
import * as RequestCard from "./RequestCard.ts"
import { type Steps, stepLines } from "./ToolCallLines.ts"

/** The posts of what the agent said and did in a turn. */
export interface TurnBody {
  readonly posts: ReadonlyArray<Post.Post>
  /** How many posts have text of the agent; infinite when one of its messages is cut. */
  readonly pages: number
  readonly cutoff: Cutoff | undefined
}

/** Where a turn's posts stop before its end, and what is omitted from there. */
export interface Cutoff {
  readonly at: number
  readonly hasText: boolean
  readonly characters: number
  readonly steps: number
  readonly stopped: boolean
}

/** Makes the bodies of a growing turn; `isPosted` returns whether a key's post is in the thread. */
export const maker = (
  messages: Messages,
  uploadLimit: number
): ((turn: Conversation, isPosted: (key: string) => boolean) => TurnBody) => {
  const toPosts = makeAnswerPosts()
  return (turn, isPosted) => make({ turn, isPosted, toPosts, messages, uploadLimit })
}

/** The posts of a message of the agent, and the number of characters beyond them. */
export interface AnswerPosts {
  readonly posts: ReadonlyArray<Post.Post>
  readonly hiddenChars: number
}

/** Makes the posts of growing messages. A full page's post stays the same object, so that its hash is computed once. */
export const makeAnswerPosts = (): ((message: AgentMessage, isComplete: boolean) => AnswerPosts) => {
  const postsByMessage = new Map<string, ReturnType<typeof cachedPosts>>()
  return ({ id, text }, isComplete) => {
    const toPosts = postsByMessage.get(id) ?? cachedPosts(id)
    postsByMessage.set(id, toPosts)
    return toPosts(text, isComplete)
  }
}

/** A turn, and how its items become posts. */
interface Input {
  readonly turn: Conversation
  readonly toPosts: ReturnType<typeof makeAnswerPosts>
  /** Whether a key's post is in the thread. */
  readonly isPosted: (key: string) => boolean
  readonly messages: Messages
  /** The largest file that Discord takes here, in bytes. */
  readonly uploadLimit: number
}

/** The body of a turn: at most {@link maxPosts} posts, and after a stop no long rest. */
const make = (input: Input): TurnBody => {
  const { isPosted, turn } = input
  const draft = addSteps(
    turn.items.reduce((before, item) => addItem(before, item, input), empty),
    input
  )
  const { cutIndex, omitted, pages, posts } = draft
  const unposted =
    turn.stopped === true ? posts.filter((post) => Post.requestIdOf(post.key) === undefined && !isPosted(post.key)) : []
  if (unposted.length > maxPostsAfterStop) {
    const unpostedSet = new Set(unposted)
    const at = posts.findIndex((post) => unpostedSet.has(post))
    const hasText = turn.items.some(isAgentMessage)
    return {
      posts: posts.filter((post) => !unpostedSet.has(post)),
      pages,
      cutoff: { at, hasText, characters: 0, steps: 0, stopped: true }
    }
  }
  const cutoff =
    cutIndex === undefined ? undefined : { at: cutIndex, hasText: omitted.characters > 0, ...omitted, stopped: false }
  return { posts, pages, cutoff }
}

/** The post that stands for the omitted rest. */
export const restPost = (
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

export const isAgentMessage = (item: Item): item is AgentMessage => item._tag === "AgentMessage"

/** The limit of posts with text, steps and notices in one turn; requests do not count. */
const maxPosts = 100

/** After a stop, a rest up to this length is still posted. */
const maxPostsAfterStop = 3

/** A body up to one of the turn's items. */
interface Draft {
  readonly posts: ReadonlyArray<Post.Post>
  /** How many posts may follow. */
  readonly remaining: number
  readonly pages: number
  /** The steps since the last other item. */
  readonly steps: Steps | undefined
  readonly omitted: { readonly characters: number; readonly steps: number }
  /** Where the first omitted item would stand. */
  readonly cutIndex: number | undefined
}

const empty: Draft = {
  posts: [],
  remaining: maxPosts,
  pages: 0,
  steps: undefined,
  omitted: { characters: 0, steps: 0 },
  cutIndex: undefined
}

const addItem = (before: Draft, item: Item, input: Input): Draft => {
  if (item._tag === "ToolCallStep") return addStep(before, item)
  const isWithdrawn = item._tag === "AgentRequest" && item.outcome._tag === "Withdrawn"
  if (isWithdrawn && !input.isPosted(Post.requestCardKey(item.id))) return before
  const draft = addSteps(before, input)
  const { messages, turn } = input
  switch (item._tag) {
    case "AgentMessage":
      return addMessage(addLateMark(draft, item, input), item, input)
    case "AgentAttachment":
      return draft.remaining === 0
        ? draft
        : addPost(draft, AgentAttachment.post(item, turn.cards, input.uploadLimit, messages))
    case "AgentRequest":
      return { ...draft, posts: [...draft.posts, RequestCard.post(item, messages, turnEnd(turn))] }
    case "Remark": {
      const text = plain(oneLine(item.text, 1500))
      return draft.remaining === 0 || text === ""
        ? draft
        : addPost(draft, Post.text(`remark:${item.id}`, `-# ℹ️ ${text}`))
    }
  }
}

const addPost = (draft: Draft, post: Post.Post): Draft => ({
  ...draft,
  posts: [...draft.posts, post],
  remaining: draft.remaining - 1
})

const omit = (draft: Draft, { characters = 0, steps = 0 }: Partial<Draft["omitted"]>): Draft => {
  if (characters + steps === 0) return draft
  const omitted = { characters: draft.omitted.characters + characters, steps: draft.omitted.steps + steps }
  return { ...draft, omitted, cutIndex: draft.cutIndex ?? draft.posts.length }
}

const addStep = (draft: Draft, call: ToolCallStep): Draft => {
  const added = 1 + (call.skipped ?? 0)
  const { remaining, steps } = draft
  if (steps === undefined && remaining === 0) return omit(draft, { steps: added })
  if (steps === undefined)
    return { ...draft, remaining: remaining - 1, steps: { first: call.id, count: added, newest: [call] } }
  const newest = [...steps.newest, call].slice(-maxSteps)
  return { ...draft, steps: { first: steps.first, count: steps.count + added, newest } }
}

/** Ends the consecutive steps with their post. */
const addSteps = (draft: Draft, { messages, turn }: Input): Draft => {
  const { posts, steps } = draft
  if (steps === undefined) return draft
  const post = Post.text(`tools:${steps.first}`, stepLines(steps, turn.end, messages))
  return { ...draft, posts: [...posts, post], steps: undefined }
}

/** Above the words that a turn shows of the turn before: they would read as its own answer. */
const addLateMark = (draft: Draft, { id }: AgentMessage, { messages, turn }: Input): Draft =>
  id === Post.lateTextId && turn.lateOutput !== true && draft.remaining > 0
    ? addPost(draft, Post.text(`remark:${id}`, messages.turnPosts.answersBefore))
    : draft

const addMessage = (before: Draft, item: AgentMessage, { messages, toPosts, turn }: Input): Draft => {
  if (before.remaining === 0) return omit(before, { characters: item.text.length })
  const { hiddenChars, posts } = toPosts(item, turn.end !== undefined || item !== turn.items.at(-1))
  const shown = posts.slice(0, before.remaining)
  const characters = posts.slice(shown.length).reduce((sum, { content }) => sum + content.length, 0)
  const draft = omit(
    {
      ...before,
      posts: [...before.posts, ...shown],
      remaining: before.remaining - shown.length,
      pages: before.pages + shown.length
    },
    { characters }
  )
  if (hiddenChars === 0) return draft
  if (draft.remaining === 0) return omit(draft, { characters: hiddenChars })
  const rest = { hasText: true, characters: hiddenChars, steps: 0, stopped: false }
  const cut = addPost(draft, restPost(`more:${item.id}`, turn, rest, true, messages))
  return { ...cut, pages: Number.POSITIVE_INFINITY }
}

/** How the turn ended, for the cards of its requests. Late output ends when the agent is silent, which says nothing. */
const turnEnd = (turn: Conversation): RequestCard.TurnEnd => ({
  withdrawal: withdrawalReason(turn),
  isOver: turn.lateOutput !== true && turn.end?._tag === "Done" && !unfinished.has(turn.end.stopReason)
})

/** The stop reasons of turns that did not end by themselves. */
const unfinished: ReadonlySet<string> = new Set([
  "cancelled",
  "unconfirmed",
  "stop_not_delivered",
  "unsent",
  "interrupted",
  "paused"
])

/** Why open requests can no longer be answered when a turn ends. */
const withdrawalReason = ({ end, notice, stopped }: Conversation): keyof Messages["requestCards"]["withdrawnText"] => {
  if (notice?._tag === "Reconnect" && notice.disconnected === true) return "disconnected"
  if (stopped === true || (end?._tag === "Done" && end.stopReason === "cancelled")) return "stopped"
  return end?._tag === "Failed" || end?.stopReason === "interrupted" ? "interrupted" : "other"
}

/** The page limit of one message of the agent. */
const maxPages = 20

const cachedPosts = (id: string) => {
  const pages = Pages.splitter(maxPages)
  const postByPage = new WeakMap<Pages.Page, Post.Post>()
  /** The result for a text above the page limit. */
  let overflow:
    | { readonly posts: ReadonlyArray<Post.Post>; readonly shownChars: number; readonly length: number }
    | undefined
  return (text: string, isComplete: boolean): AnswerPosts => {
    // Slicing a long text copies it.
    if (overflow !== undefined && text.length >= overflow.length)
      return { posts: overflow.posts, hiddenChars: text.length - overflow.shownChars }
    const all = pages(text.slice(0, maxScannedChars), {
      hasEnded: isComplete && text.length <= maxScannedChars
    })
    const posts = all.flatMap((page, index) => {
      if (page.content === "") return []
      const post = postByPage.get(page) ?? Post.text(`text:${id}:${index}`, page.content)
      postByPage.set(page, post)
      return [post]
    })
    const shownChars = all.reduce(
      (sum, { pieces }) => pieces.reduce((more, { source }) => more + source.length, sum),
      0
    )
    overflow = text.length > maxScannedChars ? { posts, shownChars, length: text.length } : undefined
    // Trailing white space does not count.
    const hiddenChars =
      text.length < maxScannedChars && text.slice(shownChars).trim() === "" ? 0 : text.length - shownChars
    return { posts, hiddenChars }
  }
}

/** The number of characters that pages are made of: more than all pages hold, apart from mostly blank text. */
const maxScannedChars = 1.5 * maxPages * Pages.limit
