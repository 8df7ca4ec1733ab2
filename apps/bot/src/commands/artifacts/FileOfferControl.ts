import * as AcpSession from "@heddle/acp/AcpSession"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../../access/Accounts.ts"
import * as Guard from "../../access/Guard.ts"
import type { DiscordApi } from "../../discord/DiscordApi.ts"
import type { ReplyTo } from "../../discord/DiscordEvent.ts"
import type { MessageBody } from "../../discord/MessageBody.ts"
import { tell } from "../../messages/Explain.ts"
import { refused } from "../../messages/Refused.ts"
import type { Action } from "../../model/Access.ts"
import { type FileOffer, openPaths, withResults } from "../../model/FileOffer.ts"
import { AuditLog } from "../../store/AuditLog.ts"
import { FileOffers } from "../../store/FileOffers.ts"
import type { Inbox } from "../../store/Inbox.ts"
import { type Languages, messagesFor } from "../../store/Languages.ts"
import type { Posts } from "../../store/Posts.ts"
import { type Thread, Threads } from "../../store/Threads.ts"
import { remedy } from "../../turn/Failure.ts"
import * as LateOutput from "../../turn/LateOutput.ts"
import { client } from "../../turn/session/AgentClient.ts"
import * as AgentChoices from "../../turn/session/AgentChoices.ts"
import * as ThreadOwner from "../../turn/ThreadOwner.ts"
import * as FileOfferCard from "../../view/FileOfferCard.ts"
import { type Component, notConnected } from "../Command.ts"

/**
 * `o1:<turn>:<get|all|always|never>`: gets files that a turn offers, or has the files of every turn posted. The service
 * makes them artifacts of the task, which the thread then shows as any other.
 */
export const FileOfferControl: Component<
  | Accounts
  | AuditLog
  | DiscordApi
  | FileOffers
  | Guard.Requirements
  | Inbox
  | Languages
  | Posts
  | Threads
  | ThreadOwner.Requirements
> = {
  id: /^o1:\d{1,20}:(get|all|always|never)$/,
  answers: "inPlace",
  action: Effect.fnUntraced(function* ({ reply }): Effect.fn.Return<Action, never, Threads> {
    const thread = yield* (yield* Threads).find(reply.channelId)
    return Option.isNone(thread) || thread.value.closed
      ? { _tag: "NothingHere" }
      : { _tag: "Reply", task: thread.value }
  }),
  // Two clicks at once must not forget each other's result.
  orderingKey: ({ customId }) => customId.split(":", 2).join(":"),
  handle: Effect.fn("FileOfferControl.handle")(function* ({ customId, reply, values }, messages) {
    const [, turnId = "", action = ""] = customId.split(":")
    const offers = yield* FileOffers
    const thread = yield* (yield* Threads).find(reply.channelId)
    const stored = yield* offers.ofTurn(reply.channelId, turnId)
    if (Option.isNone(thread) || Option.isNone(stored)) return besides(messages.buttonUnknown)
    if (thread.value.closed) return besides(messages.agent.threadLocked)
    const { ownerId } = thread.value
    if (!(yield* (yield* Accounts).isConnected(ownerId))) return besides(notConnected(messages, ownerId, reply.userId))
    const offer = stored.value
    const paths = action === "all" ? openPaths(offer) : action === "get" ? chosen(offer, values) : []
    const isAboutFiles = action === "all" || action === "get"
    const card = yield* cardIn(reply.guildId ?? "", turnId)
    // Another click came first.
    if (isAboutFiles && paths.length === 0) return card(offer)
    const asked = isAboutFiles ? { paths } : { always: action === "always" }
    const answered = yield* ask(
      thread.value,
      reply.userId,
      `${offer.method}/${isAboutFiles ? "publish" : "always"}`,
      asked
    ).pipe(
      Effect.map((answer) => (isAboutFiles ? withResults(offer, paths, answer) : { ...offer, ...asked })),
      Effect.catchAll((failure) => {
        if (failure._tag === "NotAllowed") return Effect.succeed(refused(messages, failure.refusal, failure.action))
        if (failure._tag === "TimeoutException") return Effect.succeed(tell(messages, messages.fileOffers.unreachable))
        const found = remedy(failure, messages, ownerId, "perhapsSent")
        if (found._tag === "TryAgain") return Effect.succeed(tell(messages, messages.fileOffers.unreachable))
        return Effect.succeed(found._tag === "Reconnect" ? notConnected(messages, ownerId, reply.userId) : found.text)
      })
    )
    if (typeof answered === "string") return besides(answered)
    yield* offers.update(turnId, answered)
    if (!isAboutFiles) yield* tellOfAlways(thread.value, reply, answered.always)
    if (answered.files.some(({ path, result }) => result === "posted" && paths.includes(path))) {
      yield* showArtifacts(thread.value)
    }
    return card(answered)
  })
}

/** Has the log and the thread say who had the files of every turn posted, or no longer. */
const tellOfAlways = Effect.fnUntraced(function* (thread: Thread, reply: ReplyTo, always: boolean) {
  const { guildId, threadId } = thread
  const at = yield* Clock.currentTimeMillis
  const action = { _tag: "FilesSet", always } as const
  yield* (yield* AuditLog).record({ eventId: reply.id, guildId, at, actorId: reply.userId, threadId, action })
  const { fileOffers } = yield* messagesFor(guildId)
  yield* AgentChoices.post(thread, fileOffers.alwaysSet(reply.userId, always), `files ${reply.id}`)
})

/** The paths of the chosen files that nobody got meanwhile. */
const chosen = (offer: FileOffer, values: ReadonlyArray<string>): ReadonlyArray<string> => {
  const open = openPaths(offer)
  return offer.files.flatMap(({ path }, index) => (values.includes(String(index)) && open.includes(path) ? [path] : []))
}

/** Makes the card in the language of its server. */
const cardIn = (guildId: string, turnId: string) =>
  Effect.map(messagesFor(guildId), (messages) => (offer: FileOffer): Option.Option<MessageBody> => {
    const { content, embeds, rows } = FileOfferCard.post(offer, turnId, messages)
    return Option.some({ content, embeds, rows })
  })

const besides = (content: string): Option.Option<MessageBody> => Option.some({ content, besides: true })

/** Sends a person's extension request to the task, on the account of its owner. */
const ask = (task: Thread, userId: string, method: string, params: object) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    return yield* accounts.use(task.ownerId, ({ tasks }) =>
      Effect.gen(function* () {
        const id = TaskId.make(task.taskId)
        const ticket = yield* Ticket.fromChannel(tasks.awaitChannel(id))
        const session = yield* AcpSession.open({ sessionId: id, ticket, ...client })
        // The service may have taken its time since the click.
        const action = { _tag: "Reply", task } as const
        const refusal = yield* Guard.askPolicyAgain(userId, task.guildId, action, maxMemberAgeMs)
        if (refusal !== "allowed") return yield* Effect.fail({ _tag: "NotAllowed", refusal, action } as const)
        return yield* session.callExtension(method, params)
      })
    )
  }).pipe(Effect.scoped, Effect.timeout("90 seconds"))

/** How old an answer of Discord about a member may be, in milliseconds. */
const maxMemberAgeMs = 5000

/** Has the thread show what is new; a message that waits does that, too. */
const showArtifacts = ({ threadId }: Thread) =>
  Effect.flatMap(
    LateOutput.enqueue(threadId),
    Option.match({
      onNone: () => Effect.void,
      onSome: (eventId) => ThreadOwner.deliver(threadId, eventId)
    })
  )
