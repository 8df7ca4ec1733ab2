import { knownScopes } from "@heddle/core/domain/Scope"
import type { TaskSummary } from "@heddle/core/domain/Task"
import type { InsufficientScope } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { explain, scopeName, tell as explainError } from "../messages/Explain.ts"
import type { TaskWithoutThread } from "../messages/english/Tasks.ts"
import type { Messages } from "../messages/Messages.ts"
import { TaskHeaderRows } from "../store/TaskHeaders.ts"
import { Languages, messagesFor } from "../store/Languages.ts"
import { type Request, Requests } from "../store/Requests.ts"
import { allowButton, connectButton } from "../view/ConnectButtons.ts"
import * as UnknownStart from "../view/UnknownStart.ts"
import { plainName } from "../text/PlainName.ts"
import { oneLine } from "../text/Truncate.ts"
import * as TaskCreation from "./TaskCreation.ts"

/** Who reads a text; texts for everybody have no details of the account. */
type Audience = "person" | "everybody"

/**
 * Why a request failed. `notStarted`: the reason why the task was not started. `because`: the whole text. `noThread`: the
 * reason why a task that was created has no thread.
 */
export type Failure = {
  readonly [Kind in "because" | "notStarted" | "noThread"]?: (messages: Messages, audience: Audience) => string
}

/** Tells the person who asked by a command that their task has its thread. */
export const tellStarted = (request: Request, threadId: string) =>
  answer(
    request,
    (messages) => ({ content: messages.started(threadId) }),
    // Once the private reply has expired, nothing else says so: the thread shows it.
    Effect.void
  )

/** Asks the person to connect their account; the request waits for it. */
export const askToConnect = Effect.fn("StartAnswers.askToConnect")(function* (request: Request) {
  yield* (yield* Requests).recordStep(request.requestId, { state: "waiting" })
  const publicBody = (messages: Messages) => ({ content: messages.connectAgainToStart(request.userId) })
  yield* answer(
    request,
    (messages) =>
      isByMessage(request)
        ? publicBody(messages)
        : { content: messages.connectAgainPrivate, rows: [[connectButton(messages)]] },
    postPublicly(request, publicBody)
  )
})

/** Asks the person to grant the scopes that a task needs; the request waits for them. */
export const askToAllow = Effect.fn("StartAnswers.askToAllow")(function* (requestId: string, error: InsufficientScope) {
  const requests = yield* Requests
  const found = yield* requests.find(requestId)
  if (Option.isNone(found)) return
  const request = found.value
  const required = knownScopes.filter((scope) => error.required.includes(scope))
  if (request.kind === "opened" || TaskCreation.isLost(request) || required.length === 0)
    return yield* giveUp(requestId, { notStarted: (messages, audience) => explain(messages, error, audience) })
  yield* requests.recordStep(requestId, { state: "waiting" })
  yield* tell(request, (messages) => ({
    content: messages.connecting.scopesToStart(required.map((scope) => scopeName(messages, scope))),
    rows: [[allowButton(messages, required)]]
  }))
})

/** Ends a request with the reason. One whose task may exist stays open, and its person chooses how to go on. */
export const giveUp = Effect.fn("StartAnswers.giveUp")(function* (requestId: string, failure: Failure) {
  const requests = yield* Requests
  const found = yield* requests.find(requestId)
  if (Option.isNone(found)) return
  const request = found.value
  if (TaskCreation.isLost(request))
    return yield* tellUnknown(request, { candidates: [], reason: failure.because ?? failure.notStarted })
  const { because, noThread, notStarted } = failure
  const wasCreated = request.kind === "new" && request.taskId !== undefined
  const isHeld = wasCreated && (yield* TaskCreation.isPromptHeld(request))
  yield* requests.recordStep(requestId, { state: "failed" })
  if (request.threadId === undefined) yield* removeHeader(request)
  yield* tell(request, (messages, audience) => {
    if (wasCreated) {
      const { name, prompt, taskId = "" } = request
      const task = { name: plainName(name ?? prompt, 90), taskId: oneLine(taskId, 100), isHeld }
      return { content: tellWithReason(messages, task, noThread?.(messages, audience)) }
    }
    if (notStarted === undefined) return { content: because?.(messages, audience) ?? "" }
    const { openFailed, startFailed } = messages
    return { content: (request.kind === "opened" ? openFailed : startFailed)(notStarted(messages, audience)) }
  })
})

/** Removes the message for a thread that has no use; a message of a person stays. */
const removeHeader = Effect.fnUntraced(function* ({ messageId = "" }: Request) {
  const rows = yield* TaskHeaderRows
  const header = yield* rows.find(messageId)
  if (Option.isNone(header)) return
  yield* Effect.ignoreLogged((yield* DiscordApi).removeMessage(header.value.channelId, messageId))
  yield* rows.remove(messageId)
})

/** Tells that it is not known whether the task was created, with buttons to look again and to send it once more. */
export const tellUnknown = Effect.fn("StartAnswers.tellUnknown")(function* (
  request: Request,
  known: { readonly candidates: ReadonlyArray<TaskSummary>; readonly reason?: Failure["because"] | undefined }
) {
  const { requestId } = request
  yield* (yield* Requests).recordStep(requestId, { state: "unknown" })
  yield* tell(request, (messages, audience) => {
    const { candidates, reason } = known
    const words = [messages.unknownStart.text, reason?.(messages, audience)].filter((text) => text !== undefined)
    return UnknownStart.view(requestId, words.join(messages.between), audience === "person" ? candidates : [], messages)
  })
})

const tellWithReason = (messages: Messages, task: TaskWithoutThread, reason: string | undefined): string => {
  const words = explainError(messages, messages.taskWithoutThread(task))
  return reason === undefined ? words : `${words}${messages.between}${reason}`
}

/** Answers in private, or publicly with the person's name. */
const tell = (request: Request, body: (messages: Messages, audience: Audience) => MessageBody) => {
  const publicBody = (messages: Messages) => {
    const said = body(messages, "everybody")
    return { ...said, content: `<@${request.userId}> ${said.content}` }
  }
  return answer(
    request,
    (messages) => (isByMessage(request) ? publicBody(messages) : body(messages, "person")),
    postPublicly(request, publicBody)
  )
}

/** Fills the answer of the command or of the last click; after its 15 minutes, `fallback` says it elsewhere. */
const answer = <R>(
  request: Request,
  body: (messages: Messages) => MessageBody,
  fallback: Effect.Effect<void, never, R>
) => {
  const { guildId, locale, replyToken } = request
  if (replyToken === undefined) return fallback
  return Effect.gen(function* () {
    const languages = yield* Languages
    const messages = yield* locale === undefined ? languages.ofGuild(guildId) : languages.ofPerson({ guildId, locale })
    const api = yield* DiscordApi
    yield* retryWhileUnavailable(api.editReply({ token: Redacted.value(replyToken) }, body(messages)))
  }).pipe(
    Effect.catchAll((error) =>
      Effect.zipRight(Effect.logDebug("An answer could not be filled any more", error.message), fallback)
    )
  )
}

const postPublicly = (request: Request, body: (messages: Messages) => MessageBody) =>
  Effect.gen(function* () {
    const { attempt, channelId, guildId, messageId, requestId, threadId } = request
    const nonce = `${requestId}:${attempt}`.slice(-25)
    const api = yield* DiscordApi
    // A forum takes no messages, but its posts do.
    const place = threadId ?? channelId
    const options = { nonce, ...(messageId === requestId ? { replyTo: requestId } : {}) }
    yield* retryWhileUnavailable(api.create(place, body(yield* messagesFor(guildId)), options))
  }).pipe(
    Effect.catchAll((error) => Effect.logWarning("A person could not be informed of a failed start", error.message)),
    Effect.asVoid
  )

/** A message has no locale. */
const isByMessage = ({ locale }: Request): boolean => locale === undefined
