import type * as HttpClient from "@effect/platform/HttpClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Accounts } from "../../access/Accounts.ts"
import { DiscordClient } from "../../discord/DiscordClient.ts"
import type { ReplyTo } from "../../discord/DiscordEvent.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import { tell } from "../../messages/Explain.ts"
import type { Messages } from "../../messages/Messages.ts"
import { type ArtifactContent, type ArtifactCard, type Media, nameOf } from "../../model/ArtifactCard.ts"
import { DownloadLinks } from "../../store/DownloadLinks.ts"
import * as SessionFile from "../../turn/session/ArtifactFile.ts"
import { ArtifactCards } from "../../store/ArtifactCards.ts"
import { type Thread, Threads } from "../../store/Threads.ts"
import * as View from "../../view/artifact/ArtifactList.ts"
import { fileName } from "../../text/FileName.ts"
import { oneLine } from "../../text/Truncate.ts"
import { artifactOption, findArtifact, reading, suggestArtifacts } from "./ArtifactOption.ts"
import { type CommandHandler, type Component, say } from "../Command.ts"

type Requirements = Accounts | DiscordClient | DownloadLinks | HttpClient.HttpClient | ArtifactCards | Threads

/** `/artifacts download`: sends one artifact as a file, or a private link when it is too large. */
export const ArtifactsDownload: CommandHandler<Requirements> = {
  path: "artifacts download",
  describe: ({ commands: { artifactsDownload } }) => ({
    description: artifactsDownload.description,
    options: [artifactOption(artifactsDownload.name, true)]
  }),
  suggest: suggestArtifacts(({ deleted }) => !deleted),
  answers: "privately",
  action: reading,
  handle: Effect.fn("ArtifactsDownload.handle")(function* (event, messages) {
    const card = findArtifact(yield* (yield* ArtifactCards).ofThread(event.reply.channelId), event, messages)
    const words = oneLine(String(event.options["name"]), 100)
    return yield* handOut(event.reply, card, words, messages)
  })
}

/** `f1:d:<number>`: the button on the card of a file that is too large, or of an artifact of an unknown type. */
export const ArtifactLink: Component<Requirements> = {
  id: /^f1:d:\d{1,6}$/,
  answers: "privately",
  action: reading,
  handle: Effect.fn("ArtifactsDownload.link")(function* ({ customId, reply }, messages) {
    const number = Number(customId.split(":")[2])
    const card = (yield* (yield* ArtifactCards).ofThread(reply.channelId)).find((card) => card.number === number)
    return yield* handOut(reply, card, `#${number}`, messages)
  })
}

const handOut = Effect.fnUntraced(function* (
  reply: ReplyTo,
  card: ArtifactCard | undefined,
  words: string,
  messages: Messages
) {
  const { artifacts } = messages
  const thread = yield* (yield* Threads).find(reply.channelId)
  if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
  if (card === undefined) return Option.some(say(artifacts.noSuchArtifact(words)))
  if (card.deleted) return Option.some(say(tell(messages, artifacts.wasDeleted)))
  const { body } = card
  const text = textOf(body)
  const name = View.cardName(card, messages, 100)
  if (text !== undefined)
    return Option.some(attached(name, `${fileName(nameOf(card))}.md`, Buffer.from(text), messages))
  const limit = (yield* DiscordClient).uploadLimitOf(thread.value.guildId)
  const isFile = body._tag === "Media"
  if (isFile && !isAttachable(body, limit)) return Option.some(yield* sendLink(reply, card, name, messages))
  const file = fileName(isFile ? nameOf(card) : (card.uri.split("/").at(-1) ?? ""))
  return Option.some(
    yield* bytesOf(thread.value, card, limit).pipe(
      Effect.map((bytes) => attached(name, file, bytes, messages)),
      Effect.catchAll((error) =>
        Effect.as(
          Effect.logInfo(`A file of thread ${reply.channelId} is away`, error.message),
          say(tell(messages, isFile ? artifacts.unreachable : artifacts.noFile))
        )
      )
    )
  )
})

const isAttachable = ({ size }: Media, limit: number): boolean => size !== undefined && size <= limit

const attached = (name: string, file: string, data: Uint8Array, { artifacts }: Messages): MessageBody => ({
  content: artifacts.attached(name),
  files: [{ name: file, data }]
})

const sendLink = Effect.fnUntraced(function* (
  reply: ReplyTo,
  card: ArtifactCard,
  name: string,
  { artifacts }: Messages
) {
  const { channelId: threadId, userId } = reply
  const { expiresAt, url } = yield* (yield* DownloadLinks).make({ threadId, uri: card.uri, userId })
  return {
    content: artifacts.link(name, Math.floor(expiresAt / 1000)),
    rows: [[{ label: artifacts.downloadButton, style: "primary", url: Redacted.value(url) }]]
  } satisfies MessageBody
})

const bytesOf = (thread: Thread, { uri }: ArtifactCard, limit: number) =>
  SessionFile.open(thread, uri, limit).pipe(
    Effect.flatMap(Stream.runCollect),
    Effect.map((chunks) => Buffer.concat(Chunk.toArray(chunks))),
    Effect.timeout("2 minutes")
  )

/** The content that the bot stores itself, as Markdown. */
const textOf = (body: ArtifactContent): string | undefined => {
  switch (body._tag) {
    case "Plan":
    case "Overview":
      return body.text
    case "Tasks":
      return body.items
        .map(({ content, status }) => `- [${status === "completed" ? "x" : " "}] ${content.replace(/\s+/g, " ")}\n`)
        .join("")
    case "Media":
    case "Other":
      return undefined
  }
}
