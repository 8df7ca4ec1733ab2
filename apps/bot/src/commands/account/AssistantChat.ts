import * as CallOptions from "@heddle/core/CallOptions"
import { PermissionResponse } from "@heddle/core/domain/AssistantMessage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Action } from "../../model/Access.ts"
import * as AssistantQuestion from "../../model/AssistantQuestion.ts"
import { notSent } from "../../assistant/ChatDelivery.ts"
import * as QuestionDeadlines from "../../assistant/QuestionDeadlines.ts"
import { Conversations } from "../../assistant/Conversations.ts"
import * as MonotonicClock from "../../concurrency/MonotonicClock.ts"
import { Chats } from "../../store/Chats.ts"
import { Accounts } from "../../access/Accounts.ts"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { isGone, isNotWritable } from "../../discord/DiscordError.ts"
import { tell } from "../../messages/Explain.ts"
import { messagesFor, Languages } from "../../store/Languages.ts"
import * as View from "../../view/AssistantChat.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type CommandHandler, type Component, privateOwnAccount, say } from "../Command.ts"
import { withScopes } from "./RequireScopes.ts"

/** `/assistant chat`: a private thread whose messages go to the assistant on the person's computer. */
export const AssistantChat: CommandHandler<Accounts | Chats | Conversations | DiscordApi | Languages> = {
  path: "assistant chat",
  describe: ({ commands }) => ({ ...commands.assistantChat, options: [] }),
  ...privateOwnAccount,
  handle: withScopes(
    ["user.localassistant.readable", "user.localassistant.invokable"],
    Effect.fn("AssistantChat.handle")(function* ({ reply }, messages) {
      const { assistant } = messages
      const { guildId, parentId, userId: ownerId } = reply
      if (guildId === undefined) return Option.some(say(assistant.inServersOnly))
      const api = yield* DiscordApi
      const chatting = yield* Conversations
      const channelId = parentId ?? reply.channelId
      const opened = Effect.gen(function* () {
        const accounts = yield* Accounts
        const before = yield* (yield* Chats).ofPerson(ownerId, guildId)
        // The chat of another account ends by itself.
        if (Option.isSome(before) && !(yield* accounts.isAnother(ownerId, before.value.openId))) {
          const { threadId } = before.value
          const there = yield* api.addToThread(threadId, ownerId).pipe(
            Effect.as(true),
            Effect.catchIf(isGone, () => Effect.as(chatting.close(threadId), false))
          )
          if (there) return threadId
        }
        const words = yield* messagesFor(guildId)
        const threadId = yield* api.createPrivateThread(channelId, words.assistant.threadName)
        const first = yield* api.create(
          threadId,
          { content: words.assistant.welcome(ownerId) },
          { nonce: `w${reply.id}`.slice(0, 25) }
        )
        const openId = yield* accounts.openIdOf(ownerId)
        yield* chatting.begin({ threadId, ownerId, guildId, channelId, openId }, first)
        yield* api.addToThread(threadId, ownerId)
        return threadId
      })
      return yield* opened.pipe(
        Effect.map((threadId) => say(assistant.opened(threadId))),
        Effect.catchTag("DiscordError", (error) =>
          Effect.succeed(
            say(
              isNotWritable(error)
                ? assistant.cannotOpen
                : tell(messages, messages.failures.discordRefused(oneLine(error.description, 200)))
            )
          )
        ),
        Effect.asSome
      )
    })
  )
}

/**
 * A select below a question of the local assistant. It stores the choice and sends the answers when all are complete.
 */
export const AssistantAnswer: Component<Accounts | Chats | Languages> = {
  id: /^as2:[\w-]+:\d$/,
  answers: "inPlace",
  orderingKey: ({ customId }) => QuestionDeadlines.orderingKey(customId.split(":")[1] ?? ""),
  action: Effect.fnUntraced(function* ({ customId }): Effect.fn.Return<Action, never, Chats> {
    const found = yield* (yield* Chats).question(customId.split(":")[1] ?? "")
    return Option.match(found, {
      onNone: () => ({ _tag: "NothingHere" }),
      onSome: ({ ownerId }) => ({ _tag: "Assistant", ownerId })
    })
  }),
  handle: Effect.fn("AssistantChat.answer")(function* ({ customId, reply, values }, messages) {
    const rows = yield* Chats
    const [, questionId = "", index = ""] = customId.split(":")
    const found = yield* rows.question(questionId)
    const answeredQuestion = Option.isNone(found) ? undefined : found.value.question.questions[Number(index)]
    if (Option.isNone(found) || answeredQuestion === undefined) return Option.some(say(messages.buttonUnknown))
    const { openId, hasEnded, question, state } = found.value
    // Only the owner reads this thread; its language may differ from the click's.
    const words = reply.guildId === undefined ? messages : yield* messagesFor(reply.guildId)
    const timeOfDay = yield* MonotonicClock.toTimeOfDay
    const { expiresAt } = question
    const shown = expiresAt === undefined ? question : { ...question, expiresAt: timeOfDay(expiresAt) }
    const shows = (draft: AssistantQuestion.Draft, standing: View.QuestionStatus) =>
      Option.some(View.question(questionId, shown, draft, standing, words))
    const { requestId } = question
    if (state !== "open" || requestId === undefined) return shows(found.value.draft, state)
    if (AssistantQuestion.isExpired(question, yield* MonotonicClock.now)) {
      yield* rows.expire(questionId)
      return shows(found.value.draft, "expired")
    }
    const accounts = yield* Accounts
    if (hasEnded) {
      const { chatOver, ofAnotherAccount } = words.assistant
      const content = (yield* accounts.isAnother(reply.userId, openId)) ? ofAnotherAccount : chatOver
      yield* rows.answer(questionId, { draft: found.value.draft, state: "refused" })
      return Option.map(shows(found.value.draft, "refused"), (card) => ({ ...card, content }))
    }
    const draft = { ...found.value.draft, [answeredQuestion.id]: values.map(Number) }
    const answers = AssistantQuestion.answersOf(question, draft)
    yield* rows.answer(questionId, { draft, state: "open" })
    if (Option.isNone(answers)) return shows(draft, "open")
    const settled = (standing: "answered" | "closed" | "refused" | "unsupported") => {
      // Which answer the assistant took is not known then.
      const known = standing === "closed" ? {} : draft
      return Effect.as(
        rows.answer(questionId, { draft: known, state: standing === "answered" ? "answered" : "refused" }),
        shows(known, standing)
      )
    }
    return yield* accounts
      .use(
        reply.userId,
        ({ assistant }) =>
          assistant.answerPermission(
            new PermissionResponse({ outcome: "selected", requestId, answers: answers.value }),
            { idempotencyKey: reply.id }
          ),
        openId
      )
      .pipe(
        // The person waits for what became of the click.
        CallOptions.with({ timeout: "10 seconds", deadline: "20 seconds" }),
        Effect.zipRight(settled("answered")),
        Effect.catchTags({
          PermissionResponseUnsupported: () => settled("unsupported"),
          OutcomeUnknown: () => Effect.succeed(shows(draft, "unconfirmed")),
          ContractViolation: () => Effect.succeed(shows(draft, "unconfirmed")),
          ServiceFailure: () => Effect.succeed(shows(draft, "unconfirmed")),
          Conflict: () => settled("closed"),
          NotFound: () => settled("closed"),
          Reauthorize: (error) =>
            Effect.flatMap(accounts.isAnother(reply.userId, openId), (another) =>
              another
                ? Effect.map(
                    settled("refused"),
                    Option.map((card) => ({ ...card, content: words.assistant.ofAnotherAccount }))
                  )
                : Effect.fail(error)
            ),
          AssistantOffline: (error) =>
            Effect.succeed(Option.map(shows(draft, "open"), (card) => ({ ...card, ...notSent(error, words) })))
        })
      )
  })
}
