import type { Said } from "../model/Conversation.ts"
import * as Pages from "../text/Pages.ts"
import * as Post from "../model/Post.ts"

/** The most pages of one message of the agent. */
export const mostPages = 20

/** The posts of a message, and how many of its characters are beyond them. */
export interface Shown {
  readonly posts: ReadonlyArray<Post.Post>
  readonly hidden: number
}

/** Makes the posts of messages that grow: a page that was full before is not made again, and its post is the same object. */
export const words = (): ((said: Said, ended: boolean) => Shown) => {
  const known = new Map<string, ReturnType<typeof growing>>()
  return ({ id, text }, ended) => {
    const one = known.get(id) ?? growing(id)
    known.set(id, one)
    return one(text, ended)
  }
}

/** All that the agent said, as files of at most so many bytes. */
export const files = (text: string, limit: number): ReadonlyArray<string> => {
  const bytes = Buffer.from(text)
  const parts: Array<string> = []
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(bytes.length, from + limit)
    // Not inside of a sign.
    while (to < bytes.length && to > from + 4 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--
    parts.push(bytes.toString("utf8", from, to))
    from = to
  }
  return parts
}

const growing = (id: string) => {
  const pages = Pages.splitter(mostPages)
  const made = new WeakMap<Pages.Page, Post.Post>()
  /** What was made of a text that goes on beyond what is looked at. */
  let full: { readonly posts: ReadonlyArray<Post.Post>; readonly shown: number; readonly length: number } | undefined
  return (text: string, ended: boolean): Shown => {
    // To look at a long text that has grown is to copy it.
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
    // White space that has no room is not missed.
    const hidden = text.length < mostLookedAt && text.slice(shown).trim() === "" ? 0 : text.length - shown
    return { posts, hidden }
  }
}

/** The characters of a message that pages are made of: more than all of them have room for, but for white space. */
const mostLookedAt = 1.5 * mostPages * Pages.limit
