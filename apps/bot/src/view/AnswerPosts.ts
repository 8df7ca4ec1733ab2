import type { AgentMessage } from "../model/Conversation.ts"
import * as Pages from "../text/Pages.ts"
import * as Post from "../model/Post.ts"

/** The page limit of one message of the agent. */
export const mostPages = 20

/** The posts of a message of the agent, and the number of characters beyond them. */
export interface AnswerPosts {
  readonly posts: ReadonlyArray<Post.Post>
  readonly hidden: number
}

/** Makes the posts of growing messages. A full page's post stays the same object. */
export const growing = (): ((said: AgentMessage, ended: boolean) => AnswerPosts) => {
  const known = new Map<string, ReturnType<typeof postsOf>>()
  return ({ id, text }, ended) => {
    const one = known.get(id) ?? postsOf(id)
    known.set(id, one)
    return one(text, ended)
  }
}

/** Splits a text into files with a byte limit. */
export const files = (text: string, limit: number): ReadonlyArray<string> => {
  const bytes = Buffer.from(text)
  const parts: Array<string> = []
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(bytes.length, from + limit)
    // Do not cut inside a character.
    while (to < bytes.length && to > from + 4 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--
    parts.push(bytes.toString("utf8", from, to))
    from = to
  }
  return parts
}

const postsOf = (id: string) => {
  const pages = Pages.splitter(mostPages)
  const made = new WeakMap<Pages.Page, Post.Post>()
  /** The result for a text above the page limit. */
  let full: { readonly posts: ReadonlyArray<Post.Post>; readonly shown: number; readonly length: number } | undefined
  return (text: string, ended: boolean): AnswerPosts => {
    // Slicing a long text copies it.
    if (full !== undefined && text.length >= full.length) return { posts: full.posts, hidden: text.length - full.shown }
    const all = pages(text.slice(0, mostLookedAt), ended && text.length <= mostLookedAt)
    const posts = all.flatMap((page, index) => {
      if (page.content === "") return []
      const post = made.get(page) ?? Post.text(`text:${id}:${index}`, page.content)
      made.set(page, post)
      return [post]
    })
    const shown = all.reduce((sum, { pieces }) => pieces.reduce((more, { source }) => more + source.length, sum), 0)
    full = text.length > mostLookedAt ? { posts, shown, length: text.length } : undefined
    // Trailing white space does not count.
    const hidden = text.length < mostLookedAt && text.slice(shown).trim() === "" ? 0 : text.length - shown
    return { posts, hidden }
  }
}

/** The number of characters that pages are made of: more than all pages hold, apart from mostly blank text. */
const mostLookedAt = 1.5 * mostPages * Pages.limit
