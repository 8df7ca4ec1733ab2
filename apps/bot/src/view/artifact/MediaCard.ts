import type { Messages } from "../../messages/Messages.ts"
import { type ArtifactCard, fileVersion, type Media } from "../../model/ArtifactCard.ts"
import { colors } from "../Colors.ts"
import { describe } from "./Description.ts"
import { plain } from "../../text/Escape.ts"
import { fileName } from "../../text/FileName.ts"
import { formatBytes } from "../../text/Format.ts"
import { oneLine, truncate } from "../../text/Truncate.ts"
import * as Post from "../../model/Post.ts"

/** The signs of files; a text always accompanies them. */
export const signs = { image: "🖼️", video: "🎬", audio: "🎵", document: "📄", file: "📎" } as const

/** The card of a file with the file attached, which Discord shows if it can, or with a private link to a large one. */
export const post = (card: ArtifactCard, body: Media, uploadLimit: number, messages: Messages): Post.Post => {
  const { turnPosts } = messages
  const key = Post.artifactCardKey(card.uri)
  const name = oneLine(body.name, 100)
  if (card.deleted) return Post.text(key, turnPosts.fileDeleted(name))
  if (body.sameAs !== undefined) {
    const line = [`${signs[body.kind]} **${plain(name)}**`, ...facts(body)].join(" · ")
    return Post.text(key, turnPosts.sameFile(line, oneLine(body.sameAs, 100)))
  }
  if (body.size !== undefined && body.size > uploadLimit) return largeFilePost(card, body, uploadLimit, messages)
  const file = { name: fileName(body.name), uri: card.uri, version: fileVersion(body) }
  const description = describe(body, "")
  const embed = Post.embed(key, {
    title: titleOf(body),
    ...(description === "" ? {} : { description }),
    ...(isEmbeddable(body) && body.file !== "missing" ? { image: file.name } : {}),
    color: colors.media,
    footer: [oneLine(body.name, 200), ...facts(body)].join(" · ")
  })
  return body.file === "missing" ? { ...embed, content: turnPosts.fileMissing(file.name) } : { ...embed, files: [file] }
}

/** A file's details besides its name: its size and a picture's dimensions. */
export const facts = ({ height, size, width }: Media): ReadonlyArray<string> => [
  ...(size === undefined ? [] : [formatBytes(size)]),
  ...(width === undefined || height === undefined ? [] : [`${width} × ${height}`])
]

const largeFilePost = (
  card: ArtifactCard,
  body: Media,
  uploadLimit: number,
  { artifacts, turnPosts }: Messages
): Post.Post => {
  const preview = previewOf(card, body)
  const type = body.mimeType === undefined ? [] : [plain(oneLine(body.mimeType, 60))]
  return {
    ...Post.embed(Post.artifactCardKey(card.uri), {
      title: titleOf(body),
      description: describe(
        body,
        [[...facts(body), ...type].join(" · "), turnPosts.fileTooLarge(formatBytes(uploadLimit))].join("\n")
      ),
      color: colors.media,
      ...(preview?.preview === "image" ? { image: preview.name } : {})
    }),
    files: preview === undefined ? [] : [preview],
    rows: [[{ label: artifacts.linkButton, style: "secondary", customId: `f1:d:${card.number}` }]]
  }
}

const titleOf = (body: Media): string =>
  truncate(`${signs[body.kind]} ${oneLine(body.title, 200) || oneLine(body.name, 200)}`, 256)

/** Whether Discord shows the file as an embedded picture. */
const isEmbeddable = ({ mimeType }: Media): boolean => /^image\/(png|jpeg|gif|webp)$/.test(mimeType ?? "")

const previewOf = ({ uri }: ArtifactCard, { mimeType = "", name, version }: Media): Post.FileRef | undefined => {
  const stem = fileName(name).replace(/\.\w+$/, "")
  if (/^image\/(png|jpeg|gif|webp|avif|tiff)$/.test(mimeType)) {
    return { name: `${stem}-preview.webp`, uri, version, preview: "image" }
  }
  const isText = /^text\/|^application\/(json|xml|yaml|x-yaml|x-ndjson|javascript|sql)\b/.test(mimeType)
  return isText ? { name: `${stem}-first-lines.txt`, uri, version, preview: "text" } : undefined
}
