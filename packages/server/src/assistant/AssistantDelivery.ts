import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { AssistantCredentials } from "./AssistantCredentials.ts"
import { AssistantOptions } from "./AssistantOptions.ts"
import { AssistantMessages } from "./AssistantMessages.ts"
import { AssistantQuestions } from "./AssistantQuestions.ts"
import * as Connections from "./Connections.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import type { QuestionResponse } from "@heddle/core/api/AssistantProtocol"
import { ServerConfig } from "../config/ServerConfig.ts"

/** The status of a user's assistant: not connected, working, or connected with an agent that cannot start. */
export type AssistantStatus =
  | { readonly _tag: "Offline" }
  | { readonly _tag: "Online" }
  | { readonly _tag: "Broken"; readonly problem: string }

/**
 * The connected programs and their messages. Each user's messages go to one computer, one at a time and in order. It is
 * the computer that began to answer, else the one with the longest connection.
 */
export class AssistantDelivery extends Context.Tag("@heddle/server/assistant/AssistantDelivery")<
  AssistantDelivery,
  {
    /** Connects a program until the returned effect runs. An older connection of the same computer ends. */
    readonly connect: (run: Connections.Run, sink: Connections.EventSink) => Effect.Effect<Effect.Effect<void>>
    /**
     * Records a sign of life; false if the connection is gone. `problem` is why the agent cannot start.
     */
    readonly recordStatus: (run: Connections.Run, problem?: string | null) => Effect.Effect<boolean>
    readonly status: (userId: string) => Effect.Effect<AssistantStatus>
    /** Sends the user's next message to a computer, unless one has it already. */
    readonly deliverNext: (userId: string) => Effect.Effect<void>
    /** Sends an answer to the program that asked; a program that is not connected gets it when it reconnects. */
    readonly passAnswer: (run: Connections.Run, answer: QuestionResponse) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<
  AssistantDelivery,
  never,
  AssistantCredentials | AssistantMessages | AssistantQuestions | ServerConfig
> = Layer.scoped(
  AssistantDelivery,
  Effect.gen(function* () {
    const questions = yield* AssistantQuestions
    const { permissionResponse } = (yield* ServerConfig).contract
    const options = yield* AssistantOptions
    const connections = Connections.make()
    const dismissRevoked = yield* makeDismissRevoked(connections)
    const deliverNext = yield* makeDeliverNext(connections)
    yield* Effect.forkScoped(yield* makeSweep(connections, dismissRevoked, deliverNext))

    return {
      connect: Effect.fn("AssistantDelivery.connect")(function* (run, sink) {
        connections.replace(run)
        yield* questions.withdrawEarlier(run.assistantId, run.instance)
        const connection = connections.add(run, sink, yield* MonotonicClock.now)
        const pulseMillis = Duration.toMillis(options.silence) / 3
        sink.push({ event: "welcome", data: { permissionResponse, pulseMillis } })
        yield* deliverNext(run.userId)
        return Effect.map(MonotonicClock.now, (now) => connections.disconnect(connection, now))
      }),

      recordStatus: Effect.fn("AssistantDelivery.recordStatus")(function* (run, problem) {
        const connection = connections.find(run)
        if (connection === undefined) return false
        connections.markSeen(connection, yield* MonotonicClock.now)
        if (problem !== undefined) connection.problem = problem
        return true
      }),

      status: Effect.fn("AssistantDelivery.status")(function* (userId) {
        yield* dismissRevoked(connections.of(userId))
        const connected = connections.of(userId)
        const [first] = connected
        if (first === undefined) return { _tag: "Offline" }
        if (first.problem === null || connected.some(({ problem }) => problem === null)) return { _tag: "Online" }
        return { _tag: "Broken", problem: first.problem }
      }),

      deliverNext,

      passAnswer: Effect.fn("AssistantDelivery.passAnswer")((run, answer) =>
        Effect.sync(() => connections.find(run)?.sink.push({ event: "answer", data: answer }))
      )
    }
  })
)

/** Ends connections whose credentials are revoked, before the next sweep. */
const makeDismissRevoked = (connections: Connections.Connections) =>
  Effect.map(
    AssistantCredentials,
    (credentials) => (candidates: ReadonlyArray<Connections.Connection>) =>
      Effect.map(credentials.revoked(candidates.map(({ run }) => run.assistantId)), (revoked) => {
        for (const connection of candidates) {
          if (revoked.has(connection.run.assistantId)) connections.close(connection, { event: "revoked", data: {} })
        }
      })
  )

/** Sends a user's next message to one computer, for one user at a time. */
const makeDeliverNext = Effect.fnUntraced(function* (connections: Connections.Connections) {
  const messages = yield* AssistantMessages
  const questions = yield* AssistantQuestions
  const { handOver } = yield* AssistantOptions
  const startedAt = yield* MonotonicClock.now
  const deliveryLock = yield* Effect.makeSemaphore(1)

  return Effect.fn("AssistantDelivery.deliverNext")(function* (userId: string) {
    const connected = connections.of(userId)
    if (connected.length === 0) return
    const next = Option.getOrUndefined(yield* messages.next(userId))
    if (next === undefined) return
    const { application, clientId, content, handedTo, messageId } = next
    const holder = connected.find(({ run }) => run.assistantId === handedTo)
    const now = yield* MonotonicClock.now
    const absentMs = handedTo === null ? Infinity : now - (connections.lastSeenAt(handedTo) ?? startedAt)
    // The computer that began to answer may reconnect.
    if (holder === undefined && absentMs < Duration.toMillis(handOver)) return
    const connection = holder ?? connected.find(({ problem }) => problem === null) ?? connected[0]
    if (connection === undefined || connection.messageId === messageId) return
    if (connection !== holder) yield* messages.handOver(messageId, connection.run.assistantId)
    connection.messageId = messageId
    const data = { messageId, applicationId: clientId, application, text: content }
    connection.sink.push({ event: "message", data })
    for (const answer of yield* questions.answersTo(messageId, connection.run.instance)) {
      connection.sink.push({ event: "answer", data: answer })
    }
  }, deliveryLock.withPermits(1))
})

/** Periodically ends silent and revoked connections, and delivers waiting messages. */
const makeSweep = Effect.fnUntraced(function* (
  connections: Connections.Connections,
  dismissRevoked: (candidates: ReadonlyArray<Connections.Connection>) => Effect.Effect<void>,
  deliverNext: (userId: string) => Effect.Effect<void>
) {
  const messages = yield* AssistantMessages
  const options = yield* AssistantOptions

  return Effect.gen(function* () {
    const now = yield* MonotonicClock.now
    for (const connection of connections.all()) {
      if (now - connection.lastSeenAt > Duration.toMillis(options.silence)) {
        yield* Effect.logInfo("a local assistant went silent").pipe(Effect.annotateLogs({ ...connection.run }))
        connections.close(connection)
      }
    }
    yield* dismissRevoked(connections.all())
    if (connections.all().length === 0) return
    const waiting = yield* messages.waiting
    const users = new Set(connections.all().map(({ run }) => run.userId))
    for (const userId of users) if (waiting.has(userId)) yield* deliverNext(userId)
  }).pipe(
    Effect.catchAllCause((cause) => Effect.logError("looking after local assistants failed", cause)),
    Effect.repeat(Schedule.spaced(options.sweep))
  )
})
