import { type AgentMessage, type Conversation, type Item, maxSteps, type ToolCallStep } from "../model/Conversation.ts"
import type { Messages } from "../messages/Messages.ts"
import * as Post from "../model/Post.ts"
import * as Document from "../text/Document.ts"
import { plain } from "../text/Escape.ts"
import * as Pages from "../text/Pages.ts"
import { oneLine } from "../text/Truncate.ts"
import * as AgentAttachment from "./artifact/AgentAttachment.ts"
import * as RequestCard from "./RequestCard.ts"
import { type Steps, stepLines } from "./ToolCallLines.ts"

/** The posts of what the agent said and did in a turn. */
export interface TurnBody {
  readonly posts: ReadonlyArray<Post.Post>
  /** How many posts have text of the agent; infinite when some of its text is cut. */
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
  return (turn, isPosted) =>
    make({ turn, isPosted, toPosts, messages, uploadLimit, steps: stepsOf(turn.items, isPosted) })
}

/** The posts of consecutive words, and the number of characters beyond them. */
export interface AnswerPosts {
  readonly posts: ReadonlyArray<Post.Post>
  readonly hiddenChars: number
}

/** Makes the posts of growing words. A full page's post stays the same object, so that its hash is computed once. */
export const makeAnswerPosts = (): ((words: Pick<Words, "id" | "text">, isComplete: boolean) => AnswerPosts) => {
  const postsById = new Map<string, ReturnType<typeof cachedPosts>>()
  return ({ id, text }, isComplete) => {
    const toPosts = postsById.get(id) ?? cachedPosts(id)
    postsById.set(id, toPosts)
    return toPosts(text, isComplete)
  }
}

/** Messages of the agent that share posts. */
interface Words {
  /** The id of the first message. */
  readonly id: string
  readonly text: string
  readonly last: AgentMessage
}

/** A turn, and how its items become posts. */
interface Input {
  readonly turn: Conversation
  readonly toPosts: ReturnType<typeof makeAnswerPosts>
  /** The steps of each post, by the id of the first one. */
  readonly steps: ReadonlyMap<string, Steps>
  /** Whether a key's post is in the thread. */
  readonly isPosted: (key: string) => boolean
  readonly messages: Messages
  /** The largest file that Discord takes here, in bytes. */
  readonly uploadLimit: number
}

/** The body of a turn: at most {@link maxPosts} posts, and after a stop no long rest. */
const make = (input: Input): TurnBody => {
  const { isPosted, turn } = input
  const draft = endWords(
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
  /** The words since the last other post. */
  readonly words: Words | undefined
  readonly omitted: { readonly characters: number; readonly steps: number }
  /** Where the first omitted item would stand. */
  readonly cutIndex: number | undefined
}

const empty: Draft = {
  posts: [],
  remaining: maxPosts,
  pages: 0,
  words: undefined,
  omitted: { characters: 0, steps: 0 },
  cutIndex: undefined
}

const addItem = (before: Draft, item: Item, input: Input): Draft => {
  if (item._tag === "AgentMessage") return addMessage(before, item, input)
  if (item._tag === "ToolCallStep") return addStep(before, item, input)
  const isWithdrawn = item._tag === "AgentRequest" && item.outcome._tag === "Withdrawn"
  if (isWithdrawn && !input.isPosted(Post.requestCardKey(item.id))) return before
  const draft = endWords(before, input)
  const { messages, turn, uploadLimit } = input
  switch (item._tag) {
    case "AgentAttachment":
      return draft.remaining === 0
        ? draft
        : addPost(draft, AgentAttachment.post(item, turn.cards, uploadLimit, messages))
    case "AgentRequest":
      return { ...draft, posts: [...draft.posts, RequestCard.post(item, messages, uploadLimit, turnEnd(turn))] }
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

/** The steps of a turn share one post. One that an earlier version of the bot posted keeps its steps. */
const stepsOf = (items: ReadonlyArray<Item>, isPosted: Input["isPosted"]): ReadonlyMap<string, Steps> => {
  const posts = new Map<string, { count: number; newest: Array<ToolCallStep> }>()
  let current: { count: number; newest: Array<ToolCallStep> } | undefined
  for (const item of items) {
    if (item._tag !== "ToolCallStep") continue
    if (current === undefined || isPosted(stepsKey(item.id))) {
      current = { count: 0, newest: [] }
      posts.set(item.id, current)
    }
    current.count += 1 + (item.skipped ?? 0)
    if (current.newest.push(item) > 2 * maxSteps) current.newest.splice(0, maxSteps)
  }
  return posts
}

const stepsKey = (firstId: string): string => `tools:${firstId}`

/** Adds the post of all steps at the first one. Words before and after a later step share posts. */
const addStep = (before: Draft, { id }: ToolCallStep, input: Input): Draft => {
  const steps = input.steps.get(id)
  if (steps === undefined) return before
  const draft = endWords(before, input)
  return draft.remaining === 0
    ? omit(draft, { steps: steps.count })
    : addPost(draft, Post.text(stepsKey(id), stepLines(steps, input.turn.end, input.messages)))
}

const addMessage = (before: Draft, item: AgentMessage, input: Input): Draft => {
  const { words } = before
  if (words !== undefined && !beginsPost(item, words, input))
    return { ...before, words: { ...words, text: words.text + continued(words.last, item), last: item } }
  const draft = addLateMark(endWords(before, input), item, input)
  return { ...draft, words: { id: item.id, text: item.text, last: item } }
}

/**
 * Whether a message has posts of its own below earlier words. A message that has them already keeps them. After very many
 * words the next ones stay out of the file with the rest.
 */
const beginsPost = ({ id }: AgentMessage, words: Words, { isPosted }: Input): boolean =>
  words.id === Post.lateTextId || isPosted(textKey(id, 0)) || words.text.length > maxSharedChars

const textKey = (id: string, page: number): string => `text:${id}:${page}`

/** The text of a message below the one before it, whose open code block ends. */
const continued = (before: AgentMessage, { text }: AgentMessage): string => {
  const fence = Document.openFence(before.text)
  const above = fence === undefined ? before.text : `${before.text}\n${fence}`
  const newlines = /\n{0,2}$/.exec(above)?.[0].length ?? 0
  return `${above.slice(before.text.length)}${"\n".repeat(2 - newlines)}${text.replace(/^\n+/, "")}`
}

/** Above the words that a turn shows of the turn before: they would read as its own answer. */
const addLateMark = (draft: Draft, { id }: AgentMessage, { messages, turn }: Input): Draft =>
  id === Post.lateTextId && turn.lateOutput !== true && draft.remaining > 0
    ? addPost(draft, Post.text(`remark:${id}`, messages.turnPosts.answersBefore))
    : draft

/** Ends words with their posts. */
const endWords = (unended: Draft, { messages, toPosts, turn }: Input): Draft => {
  const { words, ...others } = unended
  if (words === undefined) return unended
  const before: Draft = { ...others, words: undefined }
  if (before.remaining === 0) return omit(before, { characters: words.text.length })
  const { hiddenChars, posts } = toPosts(words, turn.end !== undefined || words.last !== turn.items.at(-1))
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
  const cut = addPost(draft, restPost(`more:${words.id}`, turn, rest, true, messages))
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

/** The page limit of words that share posts. */
const maxPages = 20

/** After so many characters, the next message begins a post. */
const maxSharedChars = (maxPages / 2) * Pages.limit

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
      const post = postByPage.get(page) ?? Post.text(textKey(id, index), page.content)
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
