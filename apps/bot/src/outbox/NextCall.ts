import type { Messages } from "../messages/Messages.ts"
import * as Post from "../model/Post.ts"
import { hashOf } from "./PostHash.ts"
import { isReplaced, type Posted, refusalOf, settled } from "../store/Posts.ts"

/** A call to Discord that brings a thread nearer to the wanted posts. */
export type Call =
  | { readonly _tag: "Create"; readonly post: Post.Post }
  /** `full`: the next post is missing, because further text does not fit into this one. */
  | ({ readonly _tag: "Edit" | "Replace"; readonly full?: boolean } & Change)
  | { readonly _tag: "Remove"; readonly posted: Posted }

/** A post whose message needs an edit. */
export interface Change {
  readonly post: Post.Post
  readonly posted: Posted
  readonly messageId: string
}

/** The wanted posts; `goes` returns for a key whether an existing, unwanted post is deleted. */
export interface Wanted {
  readonly posts: ReadonlyArray<Post.Post>
  readonly goes: (key: string) => boolean
}

/** The existing posts and their state. */
export interface ThreadState {
  readonly known: ReadonlyMap<string, Posted>
  /** Posts with an open request: their next change shows the outcome. */
  readonly asking: ReadonlySet<string>
  /** Whether a message is too old to be edited. */
  readonly isOld: (messageId: string) => boolean
  /** Strict order, so that the last post of a turn comes after all others are right. */
  readonly flushing: boolean
  /** Requests do not wait until the posts above them are right. */
  readonly hurry: boolean
}

/**
 * The one call that brings the thread nearest to the wanted posts. First come missing posts, each after the post before
 * it is complete; then requests; then the rest in order.
 */
export const next = ({ goes, posts: wanted }: Wanted, standing: ThreadState): Call | undefined => {
  const { flushing, hurry, isOld, known } = standing
  const gone = [...known.values()].find(isReplaced)
  if (gone !== undefined) return { _tag: "Remove", posted: gone }
  let change: Change | undefined
  for (const [index, post] of wanted.entries()) {
    const posted = known.get(post.key)
    if (posted !== undefined && isShown(post, posted)) continue
    if (posted?.messageId === undefined) {
      const first = flushing || (!hurry && change?.post === wanted[index - 1])
      return change !== undefined && first ? { _tag: "Edit", full: true, ...change } : { _tag: "Create", post }
    }
    const needed: Change = { post, posted, messageId: posted.messageId }
    if (isOld(posted.messageId)) {
      return change !== undefined && flushing ? { _tag: "Edit", ...change } : { _tag: "Replace", ...needed }
    }
    if (change === undefined || (!flushing && isPressing(post, standing) && !isPressing(change.post, standing))) {
      change = needed
    }
  }
  if (change !== undefined) return { _tag: "Edit", ...change }
  const keys = new Set(wanted.map((post) => post.key))
  const extra = [...known.values()].find(({ hash, key }) => !keys.has(key) && hash !== settled && goes(key))
  return extra === undefined ? undefined : { _tag: "Remove", posted: extra }
}

/** The wanted posts, with a note below each post that Discord rejected. */
export const withRefusals = (
  { goes, posts }: Wanted,
  known: ReadonlyMap<string, Posted>,
  { turnPosts }: Messages
): Wanted => ({
  goes,
  posts: posts.flatMap((post) => {
    const posted = known.get(post.key)
    const words = posted === undefined ? undefined : refusalOf(posted.hash)?.words
    if (words === undefined) return [post]
    const names = post.files.map(({ name }) => name).join(", ")
    const note = names === "" ? turnPosts.postRefused(words) : turnPosts.fileRefused(names, words)
    return [post, Post.text(refusalKey(post.key), note)]
  })
})

/** Whether a post is a note about a rejected post. */
export const isRefusal = (key: string): boolean => key.startsWith("refused:")

/** Whether a post is a request to a person. */
export const isAsking = (post: Post.Post): boolean => post.buttons.length > 0 && !Post.isCard(post.key)

/** Whether a person waits for a post: it is an unposted request or the outcome of one. */
export const isPressing = (post: Post.Post, { asking, known }: Pick<ThreadState, "asking" | "known">): boolean => {
  const posted = known.get(post.key)
  return (isAsking(post) || asking.has(post.key)) && !(posted !== undefined && isShown(post, posted))
}

/** Whether a post needs no call. Rejected content is not tried again. */
const isShown = (post: Post.Post, { hash }: Posted): boolean =>
  hash === settled || hash === hashOf(post) || refusalOf(hash)?.what === hashOf(post)

const refusalKey = (key: string): string => `refused:${key}`
