import type { Messages } from "../../messages/Messages.ts"
import type { ArtifactCard } from "../../model/ArtifactCard.ts"
import type { AgentAttachment } from "../../model/Conversation.ts"
import * as Post from "../../model/Post.ts"
import { plain } from "../../text/Escape.ts"
import { fileName } from "../../text/FileName.ts"
import { formatBytes } from "../../text/Format.ts"
import { oneLine } from "../../text/Truncate.ts"
import { titleOf } from "./CardTitle.ts"

/** The post of a file or a link of the agent, in the place where the agent put it. */
export const post = (
  { content, id, name: givenName }: AgentAttachment,
  cards: ReadonlyArray<ArtifactCard>,
  uploadLimit: number,
  messages: Messages
): Post.Post => {
  const key = `file:${id}`
  const address = content._tag === "Link" && URL.canParse(content.uri) ? new URL(content.uri) : undefined
  const name = oneLine(givenName, 100) || address?.host || "…"
  const { turnPosts } = messages
  if (content._tag === "File") {
    const { data, size, version } = content
    if (size > uploadLimit)
      return Post.text(key, turnPosts.attachmentTooLarge(name, formatBytes(size), formatBytes(uploadLimit)))
    return { ...Post.text(key, ""), files: [{ name: fileName(name), uri: key, version, ...data }] }
  }
  if (address?.protocol === "http:" || address?.protocol === "https:")
    return Post.text(key, `🔗 [${plain(name)}](<${address.href}>) · ${plain(address.host)}`)
  const card = cards.find(({ deleted, uri }) => !deleted && isSameFile(content.uri, uri))
  return Post.text(
    key,
    card === undefined
      ? turnPosts.unopenableLink(name)
      : turnPosts.linkedCard(name, oneLine(titleOf(card, messages, 100), 100))
  )
}

/** Whether an address of the agent ends with the path of an artifact. */
const isSameFile = (address: string, uri: string): boolean => {
  const path = /^agent:\/\/\/(.+)$/.exec(uri)?.[1]
  return path !== undefined && (address === path || address.endsWith(`/${path}`))
}
