import { createHash } from "node:crypto"
import type { Post } from "../model/Post.ts"

/** The hash of a post's content. */
export const hashOf = (post: Post): string => {
  const cached = hashes.get(post)
  if (cached !== undefined) return cached
  const hash = digest(JSON.stringify([post.content, post.embeds, post.rows, filesHash(post)]))
  hashes.set(post, hash)
  return hash
}

/** The hash of a post's files; empty without any. */
export const filesHash = (post: Post): string =>
  post.files.length === 0 ? "" : digest(JSON.stringify(post.files.map((file) => [file.name, file.uri, file.version])))

/** The nonce of a post, stable so that Discord suppresses a duplicate. */
export const nonceOf = (turnId: string, key: string): string => digest(`${turnId} ${key}`)

const hashes = new WeakMap<Post, string>()

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)
