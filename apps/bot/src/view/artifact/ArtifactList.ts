import type { MessageBody } from "../../discord/MessageBody.ts"
import type { Messages } from "../../messages/Messages.ts"
import type { ArtifactCard } from "../../model/ArtifactCard.ts"
import { isKindOnly, titleOf } from "./CardTitle.ts"
import { plain } from "../../text/Escape.ts"
import { formatBytes } from "../../text/Format.ts"
import { oneLine } from "../../text/Truncate.ts"
import { signs } from "./MediaCard.ts"
import * as OtherCard from "./OtherCard.ts"
import * as Pager from "../Pager.ts"

/** The number of artifacts on a page. */
const pageSize = 10

/** One page of a task's artifacts with links to their cards. Pages count from 1; a page beyond the end is the last. */
export const page = (
  cards: ReadonlyArray<ArtifactCard>,
  requestedPage: number,
  linkOf: (uri: string) => string | undefined,
  messages: Messages
): MessageBody => {
  const { artifacts } = messages
  if (cards.length === 0) return { content: artifacts.nothingProduced }
  const position = {
    page: Pager.nearestPage(requestedPage, { size: pageSize, total: cards.length }),
    size: pageSize,
    total: cards.length
  }
  const cardsOnPage = cards.slice((position.page - 1) * pageSize, position.page * pageSize)
  return {
    content: "",
    embeds: [
      {
        title: artifacts.title,
        description: cardsOnPage
          .map(
            (card, index) => `${(position.page - 1) * pageSize + index + 1}. ${line(card, linkOf(card.uri), messages)}`
          )
          .join("\n"),
        ...Pager.footer(position, messages)
      }
    ],
    rows: Pager.buttons(position, (page) => `f1:l:${page}`, messages)
  }
}

/** An artifact's label in lists and suggestions: `report.md · file`. */
export const cardLabel = (card: ArtifactCard, messages: Messages, room: number): string => {
  const facts = [...kindOf(card, messages), ...(card.deleted ? [messages.artifacts.deleted] : [])]
  const rest = facts.map((fact) => ` · ${fact}`).join("")
  return `${cardName(card, messages, room - rest.length)}${rest}`
}

/** An artifact's displayed name; unnamed ones have one, too. */
export const cardName = (card: ArtifactCard, messages: Messages, room: number): string =>
  titleOf(card, messages, room) || messages.artifacts.noName

/** An artifact's kind, unless the name already says it. */
const kindOf = (card: ArtifactCard, { artifacts }: Messages): ReadonlyArray<string> => {
  const { body } = card
  if (body._tag === "Other") return [oneLine(body.type, 40)]
  return isKindOnly(card) ? [] : [artifacts.kinds[body._tag]]
}

const line = (card: ArtifactCard, url: string | undefined, messages: Messages): string => {
  const { artifacts, turnPosts } = messages
  const { body, deleted } = card
  const name = plain(cardName(card, messages, 80))
  const facts = [
    ...kindOf(card, messages).map(plain),
    ...(body._tag === "Media" && body.size !== undefined ? [formatBytes(body.size)] : []),
    ...(body._tag === "Plan" && body.version !== undefined ? [turnPosts.planVersion(body.version)] : []),
    ...(body._tag === "Tasks" ? [turnPosts.tasksDone(body.done, body.total, body.cancelled)] : []),
    ...(deleted ? [`🗑️ ${artifacts.deleted}`] : []),
    ...(url === undefined ? [] : [`[${artifacts.card}](${url})`])
  ]
  return `${signOf(card)} ${[deleted ? `~~${name}~~` : `**${name}**`, ...facts].join(" · ")}`
}

const signOf = ({ body }: ArtifactCard): string => {
  if (body._tag === "Media") return signs[body.kind]
  return { Plan: "📋", Tasks: "☑️", Overview: "🏁", Other: OtherCard.sign }[body._tag]
}
