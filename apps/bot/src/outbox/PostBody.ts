import * as Effect from "effect/Effect"
import type { MessageBody, Upload } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import type { FileRef, Post } from "../model/Post.ts"

/** Fetches the bytes of a file; undefined when it is unavailable. */
export type Load = (file: FileRef) => Effect.Effect<Uint8Array | undefined>

/** The message body of a post, without files. */
export const plain = ({ buttons, content, embeds }: Post): MessageBody => ({ content, embeds, buttons })

/** The message body of a post with its files; names unavailable files. */
export const withFiles = Effect.fn("PostBody.withFiles")(function* (
  post: Post,
  load: Load,
  { turnPosts }: Messages
): Effect.fn.Return<MessageBody> {
  const body = plain(post)
  const loaded = yield* Effect.forEach(post.files, (file) => Effect.map(load(file), (data) => ({ file, data })))
  const missing = loaded.flatMap(({ data, file }) => (data === undefined ? [file] : []))
  const files = loaded.flatMap(({ data, file: { name } }): ReadonlyArray<Upload> =>
    data === undefined ? [] : [{ name, data }]
  )
  if (missing.length === 0) return { ...body, files }
  const words = missing.flatMap((file) => (file.preview === undefined ? [turnPosts.fileMissing(file.name)] : []))
  return {
    ...body,
    files,
    embeds: post.embeds.map(({ image, ...embed }) =>
      image === undefined || missing.some(({ name }) => name === image) ? embed : { ...embed, image }
    ),
    content: [post.content, ...words].join("\n").trim()
  }
})
