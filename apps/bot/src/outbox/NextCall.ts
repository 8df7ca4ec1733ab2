import type { Messages } from "../messages/Messages.ts"
import * as Post from "../model/Post.ts"
import { hashOf } from "./PostHash.ts"
import { isReplaced, type Posted, refusalOf, settled } from "../store/Posts.ts"

/** A call to Discord that brings a thread nearer to what is wanted. */
export type Call =
  | { readonly _tag: "Create"; readonly post: Post.Post }
  /** With `full`, the post behind it is missing: what comes now has no room in this one. */
  | ({ readonly _tag: "Edit" | "Replace"; readonly full?: boolean } & Change)
  | { readonly _tag: "Remove"; readonly posted: Posted }

/** A post whose message is to say something else. */
export interface Change {
  readonly post: Post.Post
  readonly posted: Posted
  readonly messageId: string
}

/** What should be there now; `goes` tells of a key whether its post is deleted when it is there and not wanted. */
export interface Wanted {
  readonly posts: ReadonlyArray<Post.Post>
  readonly goes: (key: string) => boolean
}

/** What is there, and how things stand with it. */
export interface Standing {
  readonly known: ReadonlyMap<string, Posted>
  /** Posts that ask somebody something: the next change of one of them is what became of it. */
  readonly asking: ReadonlySet<string>
  /** Whether a message is too old to be edited. */
  readonly isOld: (messageId: string) => boolean
  /** The order alone counts, so that the last post of a turn comes when all before it is right. */
  readonly flushing: boolean
  /** What asks does not wait until what is above it is right. */
  readonly hurry: boolean
}

/**
 * The one call that brings the thread nearest to what is wanted: what is missing first, after the post before it is
 * complete; then what asks; then the rest in order.
 */
export const next = ({ goes, posts: wanted }: Wanted, standing: Standing): Call | undefined => {
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

/** What is wanted, with a word after each post that Discord does not take as it should be. */
export const withRefusals = (
  { goes, posts }: Wanted,
  known: ReadonlyMap<string, Posted>,
  { shown }: Messages
): Wanted => ({
  goes,
  posts: posts.flatMap((post) => {
    const posted = known.get(post.key)
    const words = posted === undefined ? undefined : refusalOf(posted.hash)?.words
    if (words === undefined) return [post]
    const names = post.files.map(({ name }) => name).join(", ")
    const note = names === "" ? shown.postRefused(words) : shown.fileRefused(names, words)
    return [post, Post.text(refusalKey(post.key), note)]
  })
})

/** Whether a post only says that another one was refused. */
export const isRefusal = (key: string): boolean => key.startsWith("refused:")

/** Whether a post asks somebody something. */
export const isAsking = (post: Post.Post): boolean => post.buttons.length > 0 && !Post.isCard(post.key)

/** Whether somebody waits for a post: it asks them something, or says what became of that. */
export const isPressing = (post: Post.Post, { asking, known }: Pick<Standing, "asking" | "known">): boolean => {
  const posted = known.get(post.key)
  return (isAsking(post) || asking.has(post.key)) && !(posted !== undefined && isShown(post, posted))
}

/** Whether there is nothing to do about a post: what Discord refuses is not tried again before it says something else. */
const isShown = (post: Post.Post, { hash }: Posted): boolean =>
  hash === settled || hash === hashOf(post) || refusalOf(hash)?.what === hashOf(post)

const refusalKey = (key: string): string => `refused:${key}`
