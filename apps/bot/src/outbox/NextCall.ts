import type { Messages } from "../messages/Messages.ts"
import * as Post from "../model/Post.ts"
import { isBegun, isReplaced, type Posted, parseRefusal, settled, unknownContent } from "../store/Posts.ts"

/** A call to Discord that brings a thread nearer to the desired posts. */
export type Call =
  | { readonly _tag: "Create"; readonly post: Post.Post }
  /** `isPageFull`: the next post is missing, because further text does not fit into this one. */
  | ({ readonly _tag: "Edit" | "Replace"; readonly isPageFull?: boolean } & Change)
  | { readonly _tag: "Remove"; readonly posted: Posted }
  | Search

/** A read: Discord may have made the message of a post whose creation failed. */
export interface Search {
  readonly _tag: "Search"
  readonly posted: Posted
  readonly isDesired: boolean
}

/** The key of the post that a call changes. */
export const keyOf = (call: Call): string => ("post" in call ? call.post.key : call.posted.key)

/** A post whose message needs an edit. */
export interface Change {
  readonly post: Post.Post
  readonly posted: Posted
  readonly messageId: string
}

/** The desired posts; `isOutdated` returns for a key whether an existing but undesired post is deleted. */
export interface DesiredPosts {
  readonly posts: ReadonlyArray<Post.Post>
  readonly isOutdated: (key: string) => boolean
}

/** The existing posts and their state. */
export interface ThreadState {
  readonly existing: ReadonlyMap<string, Posted>
  /** Posts with an open request: their next change shows the outcome. */
  readonly openRequestKeys: ReadonlySet<string>
  /** Whether a message is too old to be edited. */
  readonly isTooOld: (messageId: string) => boolean
  /**
   * Whether Discord may have made the message of a post whose creation failed. While Discord remembers the nonce, a second
   * creation returns that message; once forgotten, it would make another one.
   */
  readonly lostCreation: (key: string) => "Forgotten" | "Remembered" | undefined
  /** Strict order, so that the last post of a turn comes after all others are right. */
  readonly isFlushing: boolean
  /** Requests do not wait until the posts above them are right. */
  readonly isHurried: boolean
  /** The key of the post that the last call changed: posts that grow at the same time take turns. */
  readonly lastKey?: string | undefined
}

/**
 * The one call that brings the thread nearest to the desired posts. First come missing posts, each after the post
 * before it is complete; then requests; then the rest in order. The end below words waits until all other posts are right.
 * A search comes before other messages follow the one that may exist.
 */
export const next = (wanted: DesiredPosts, threadState: ThreadState): Call | undefined => {
  const { isOutdated, posts: desired } = isEndEarly(wanted, threadState)
    ? { ...wanted, posts: wanted.posts.map(Post.withoutEnd) }
    : wanted
  const { isFlushing, isHurried, isTooOld, existing } = threadState
  const replacedPost = [...existing.values()].find(isReplaced)
  if (replacedPost !== undefined) return { _tag: "Remove", posted: replacedPost }
  const search = searchFor(wanted, threadState)
  if (search !== undefined) return search
  let change: (Change & { readonly rank: number }) | undefined
  let isBelowLast = false
  /** The post above the current one, while it is incomplete. */
  let above: Change | undefined
  for (const [index, post] of desired.entries()) {
    const posted = existing.get(post.key)
    isBelowLast ||= desired[index - 1]?.key === (threadState.lastKey ?? "")
    if (posted !== undefined && isUpToDate(post, posted)) {
      above = undefined
      continue
    }
    if (posted?.messageId === undefined) {
      const first = isFlushing ? change : isHurried ? undefined : above
      return first === undefined ? { _tag: "Create", post } : { _tag: "Edit", isPageFull: true, ...first }
    }
    above = { post, posted, messageId: posted.messageId }
    if (isTooOld(posted.messageId) || isBegun(posted.hash)) {
      return change !== undefined && isFlushing ? { _tag: "Edit", ...change } : { _tag: "Replace", ...above }
    }
    const rank = isFlushing ? 0 : rankOf(post, isBelowLast, threadState)
    if (change === undefined || rank < change.rank) change = { ...above, rank }
  }
  if (change !== undefined) return { _tag: "Edit", ...change }
  const keys = keysOf(desired)
  const surplus = [...existing.values()].find(({ hash, key }) => !keys.has(key) && hash !== settled && isOutdated(key))
  return surplus === undefined ? undefined : { _tag: "Remove", posted: surplus }
}

const keysOf = (posts: ReadonlyArray<Post.Post>): ReadonlySet<string> => new Set(posts.map((post) => post.key))

/** The search for a message that Discord may have made. While Discord remembers the nonce, a desired post is sent again instead. */
const searchFor = (
  { isOutdated, posts }: DesiredPosts,
  { existing, lostCreation }: ThreadState
): Search | undefined => {
  const lost = [...existing.values()].filter(({ hash, key }) => isBegun(hash) && lostCreation(key) !== undefined)
  if (lost.length === 0) return undefined
  const keys = keysOf(posts)
  const posted = lost.find(({ key }) => (keys.has(key) ? lostCreation(key) === "Forgotten" : isOutdated(key)))
  return posted === undefined ? undefined : { _tag: "Search", posted, isDesired: keys.has(posted.key) }
}

/**
 * The desired posts, with a note below each post that Discord rejected. The end of the turn is a post where the post with
 * its line was rejected or deleted.
 */
export const withRefusals = (
  { isOutdated, posts }: DesiredPosts,
  existing: ReadonlyMap<string, Posted>,
  { turnPosts }: Messages
): DesiredPosts => ({
  isOutdated,
  posts: posts.flatMap((post) => {
    const posted = existing.get(post.key)
    const reason = posted === undefined ? undefined : parseRefusal(posted.hash)?.reason
    const isEndHidden = reason !== undefined || posted?.hash === settled
    const wasShown = existing.get(Post.endLineKey)?.messageId !== undefined
    const end = post.end === undefined || !isEndHidden || wasShown ? [] : [post.end]
    if (reason === undefined) return [post, ...end]
    const names = post.files.map(({ name }) => name).join(", ")
    const refusalNote = names === "" ? turnPosts.postRefused(reason) : turnPosts.fileRefused(names, reason)
    return [post, Post.text(refusalKey(post.key), refusalNote), ...end]
  })
})

/** Whether a post is a note about a rejected post. */
export const isRefusal = (key: string): boolean => key.startsWith("refused:")

/** Whether a post is a request to a person. */
export const isOpenRequest = ({ end, key, rows }: Post.Post): boolean =>
  rows.length > 0 && end === undefined && !Post.isArtifactCard(key)

/** Whether a person waits for a post: it is an unposted request or the outcome of one. */
export const isUrgent = (
  post: Post.Post,
  { openRequestKeys, existing }: Pick<ThreadState, "existing" | "openRequestKeys">
): boolean => {
  const posted = existing.get(post.key)
  return (isOpenRequest(post) || openRequestKeys.has(post.key)) && !(posted !== undefined && isUpToDate(post, posted))
}

/** Whether the end of the turn would show below words before all other posts are right. */
const isEndEarly = ({ posts }: DesiredPosts, { existing }: ThreadState): boolean => {
  const words = posts.find(({ end }) => end !== undefined)
  if (words === undefined || existing.get(Post.endLineKey)?.messageId !== undefined) return false
  const { hash = "" } = existing.get(words.key) ?? {}
  const isRefused = parseRefusal(hash) !== undefined
  return !isRefused && posts.some((post) => post !== words && !isUpToDate(post, existing.get(post.key) ?? missing))
}

/** In place of a post that is not in the thread. */
const missing = { hash: unknownContent }

/** Where a post stands among those that change: first those that a person waits for, then those below the last change. */
const rankOf = (post: Post.Post, isBelowLast: boolean, threadState: ThreadState): number => {
  if (isUrgent(post, threadState)) return 0
  return isBelowLast ? 1 : 2
}

/** Whether a post needs no call. Rejected content is not tried again. */
const isUpToDate = (post: Post.Post, { hash }: Pick<Posted, "hash">): boolean =>
  hash === settled || hash === Post.hashOf(post) || parseRefusal(hash)?.rejectedHash === Post.hashOf(post)

const refusalKey = (key: string): string => `refused:${key}`
