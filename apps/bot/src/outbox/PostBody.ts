import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { MessageBody, Upload } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import type { FileRef, Post } from "../model/Post.ts"

/** Fetches the bytes of a file; undefined when it is unavailable. */
export type Load = (file: FileRef) => Effect.Effect<Uint8Array | undefined>

/** The message body of a post, without files. */
export const withoutFiles = ({ rows, content, embeds }: Post): MessageBody => ({
  content,
  embeds,
  rows
})

/** The message body of a post with its files; names unavailable files. */
export const withFiles = Effect.fn("PostBody.withFiles")(function* (
  post: Post,
  load: Load,
  { turnPosts }: Messages
): Effect.fn.Return<MessageBody> {
  const body = withoutFiles(post)
  const loadedFiles = yield* Effect.forEach(post.files, (file) => Effect.map(load(file), (data) => ({ file, data })))
  const missing = loadedFiles.flatMap(({ data, file }) => (data === undefined ? [file] : []))
  const files = loadedFiles.flatMap(({ data, file: { name } }): ReadonlyArray<Upload> =>
    data === undefined ? [] : [{ name, data }]
  )
  if (missing.length === 0) return { ...body, files }
  const notices = missing.flatMap((file) => (file.preview === undefined ? [turnPosts.fileMissing(file.name)] : []))
  return {
    ...body,
    files,
    embeds: post.embeds.map(({ image, ...embed }) =>
      image === undefined || missing.some(({ name }) => name === image) ? embed : { ...embed, image }
    ),
    content: [post.content, ...notices].join("\n").trim()
  }
})

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
