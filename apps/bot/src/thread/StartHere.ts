import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { decide } from "../access/Policy.ts"
import { Accounts } from "../connect/Accounts.ts"
import { Connect } from "../connect/Connect.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { IncomingMessage, MessagePicked } from "../discord/DiscordEvent.ts"
import { tell } from "../messages/Explain.ts"
import { Languages, languageOf } from "../messages/Languages.ts"
import { bytes, oneLine } from "../view/Fit.ts"
import type { Button } from "../view/Post.ts"
import { byteLimit } from "./Attachments.ts"
import { Requests } from "./Requests.ts"
import * as Speaker from "./Speaker.ts"
import * as TaskStart from "./TaskStart.ts"

/**
 * A message outside of the threads of tasks: it starts one when it asks for that. A message in a channel gets a thread
 * of its own, a post in a forum becomes the thread; in a thread among people the task goes to the channel.
 */
export const fromMessage = Effect.fn("StartHere.fromMessage")(function* (message: IncomingMessage) {
  const { place } = message
  if (place === undefined || !place.asksForTask || !message.fromPerson) return
  const { forum, guildId, parentId, prompt } = place
  if (decide(message.authorId, { _tag: "StartTask", inGuild: true }) !== "allowed") return
  const messages = yield* languageOf(guildId)
  const text = prompt === "" && message.attachments.length > 0 ? messages.lookAtFiles : prompt
  if (text === "") return yield* reply(message, messages.promptNeededHere)
  const large = message.attachments.find((file) => file.size > byteLimit)
  if (large !== undefined)
    return yield* reply(message, tell(messages, messages.failures.attachmentTooLarge(large.name, bytes(large.size))))
  const connected = yield* (yield* Accounts).isConnected(message.authorId)
  yield* (yield* Requests).add(
    {
      requestId: message.id,
      guildId,
      channelId: parentId ?? message.channelId,
      userId: message.authorId,
      replyToken: undefined,
      locale: undefined,
      prompt: text,
      name: undefined,
      attachments: message.attachments,
      state: connected ? "starting" : "waiting",
      messageId: parentId === undefined || forum ? message.id : undefined,
      threadId: forum ? message.channelId : undefined
    },
    yield* Clock.currentTimeMillis
  )
  if (connected) return yield* TaskStart.enqueue(message.id, 1)
  yield* reply(message, messages.connectFirst.text, {
    label: messages.connectFirst.button,
    style: "primary",
    customId: "c1:connect"
  })
})

/** Starts a task with a message that somebody picked from its menu; it runs on the account of who picked it. */
export const picked = Effect.fn("StartHere.picked")(function* ({ message, opensThread, reply }: MessagePicked) {
  const api = yield* DiscordApi
  yield* api.defer(reply)
  const words = yield* (yield* Languages).ofPerson(reply)
  const answer = (content: string) => api.editReply(reply, { content })
  const inGuild = reply.guildId !== undefined
  if (decide(reply.userId, { _tag: "StartTask", inGuild }) !== "allowed") return yield* answer(words.onlyInServers)
  const content = message.content.trim()
  if (content === "" && message.attachments.length === 0) return yield* answer(words.promptNeeded)
  const large = message.attachments.find((file) => file.size > byteLimit)
  if (large !== undefined)
    return yield* answer(tell(words, words.failures.attachmentTooLarge(large.name, bytes(large.size))))
  const connected = yield* (yield* Accounts).isConnected(reply.userId)
  const prompt = content === "" ? words.lookAtFiles : content
  yield* (yield* Requests).add(
    {
      requestId: reply.id,
      guildId: reply.guildId ?? "",
      channelId: reply.parentId ?? reply.channelId,
      userId: reply.userId,
      replyToken: Redacted.make(reply.token),
      locale: reply.locale,
      prompt: Speaker.words({ ...message, content: prompt }, message.authorId !== reply.userId),
      name: oneLine(prompt, 90),
      attachments: message.attachments,
      state: connected ? "starting" : "waiting",
      messageId: opensThread ? message.id : undefined,
      threadId: undefined
    },
    yield* Clock.currentTimeMillis
  )
  if (connected) return yield* TaskStart.enqueue(reply.id, 1)
  const { url } = yield* (yield* Connect).begin(reply.userId)
  yield* api.editReply(reply, {
    content: words.connectFirst.text,
    buttons: [[{ label: words.connectFirst.button, style: "primary", url }]]
  })
})

const reply = (message: IncomingMessage, content: string, button?: Button) =>
  Effect.flatMap(DiscordApi, (api) =>
    api.create(
      message.channelId,
      { content, buttons: button === undefined ? [] : [[button]] },
      { nonce: `s${message.id}`.slice(0, 25), replyTo: message.id }
    )
  ).pipe(
    Effect.catchAll((error) => Effect.logWarning("A reply could not be sent", error.message)),
    Effect.asVoid
  )
