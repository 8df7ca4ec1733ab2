import type { AgentMessage } from "../model/Conversation.ts"
import * as Pages from "../text/Pages.ts"
import * as Post from "../model/Post.ts"

/** The page limit of one message of the agent. */
export const maxPages = 20

/** The posts of a message of the agent, and the number of characters beyond them. */
export interface AnswerPosts {
  readonly posts: ReadonlyArray<Post.Post>
  readonly hiddenChars: number
}

/** Makes the posts of growing messages. A full page's post stays the same object. */
export const makeAnswerPosts = (): ((message: AgentMessage, isComplete: boolean) => AnswerPosts) => {
  const postsByMessage = new Map<string, ReturnType<typeof cachedPosts>>()
  return ({ id, text }, isComplete) => {
    const toPosts = postsByMessage.get(id) ?? cachedPosts(id)
    postsByMessage.set(id, toPosts)
    return toPosts(text, isComplete)
  }
}

/** Splits a text into files with a byte limit. */
export const splitIntoFiles = (text: string, limit: number): ReadonlyArray<string> => {
  const bytes = Buffer.from(text)
  const chunks: Array<string> = []
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(bytes.length, from + limit)
    // Do not cut inside a character.
    while (to < bytes.length && to > from + 4 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--
    chunks.push(bytes.toString("utf8", from, to))
    from = to
  }
  return chunks
}

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
    const all = pages(text.slice(0, maxScannedChars), isComplete && text.length <= maxScannedChars)
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
