import * as MediaUrl from "@heddle/artifacts/MediaUrl"
import type { Messages } from "../../messages/Messages.ts"
import type { ArtifactCard, Other } from "../../model/ArtifactCard.ts"
import * as Post from "../../model/Post.ts"
import { oneLine, truncate } from "../../text/Truncate.ts"
import { colors } from "../Colors.ts"
import { titleOf } from "./CardTitle.ts"
import { describe } from "./Description.ts"

/** The sign of artifacts of unknown types. */
export const sign = "📦"

/** The card of an artifact of an unknown type: its name, its type, its link, and a button that gets its file. */
export const post = (card: ArtifactCard, body: Other, messages: Messages): Post.Post => {
  const { artifacts, turnPosts } = messages
  const title = `${sign} ${titleOf(card, messages, 200)}`
  const description = describe(body, body.link === undefined ? "" : `<${body.link}>`)
  const canDownload = !card.deleted && MediaUrl.isBelowSandbox(card.uri)
  return {
    ...Post.embed(Post.artifactCardKey(card.uri), {
      title: truncate(card.deleted ? `🗑️ ${turnPosts.deleted(title)}` : title, 256),
      ...(description === "" ? {} : { description }),
      color: card.deleted ? colors.past : colors.media,
      footer: artifacts.unknownType(oneLine(body.type, 100))
    }),
    rows: canDownload
      ? [[{ label: artifacts.downloadButton, style: "secondary", customId: `f1:d:${card.number}` }]]
      : []
  }
}
