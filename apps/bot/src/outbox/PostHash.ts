import { createHash } from "node:crypto"
import type { Post } from "../model/Post.ts"

/** What a post says, as a hash. */
export const hashOf = (post: Post): string => {
  const known = hashes.get(post)
  if (known !== undefined) return known
  const hash = digest(JSON.stringify([post.content, post.embeds, post.buttons, filesHash(post)]))
  hashes.set(post, hash)
  return hash
}

/** The files of a post, as a hash; empty without any. */
export const filesHash = (post: Post): string =>
  post.files.length === 0 ? "" : digest(JSON.stringify(post.files.map((file) => [file.name, file.uri, file.version])))

/** The same post has the same nonce, so Discord itself refuses to show it twice. */
export const nonceOf = (turnId: string, key: string): string => digest(`${turnId} ${key}`)

const hashes = new WeakMap<Post, string>()

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)
