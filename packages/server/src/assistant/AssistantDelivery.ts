import * as Clock from "effect/Clock"
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
import type { QuestionResponse } from "@heddle/core/api/AssistantProtocol"
import { ServerConfig } from "../config/ServerConfig.ts"

/** How a user's assistant is: none connected, working, or connected with an agent that cannot be started. */
export type Condition =
  | { readonly _tag: "Offline" }
  | { readonly _tag: "Online" }
  | { readonly _tag: "Broken"; readonly problem: string }

/**
 * Which programs are connected, and what is handed to them: of each user one message at a time, in order, to one
 * computer. That is the computer which began to answer it, else the one that is connected longest.
 */
export class AssistantDelivery extends Context.Tag("@heddle/server/assistant/AssistantDelivery")<
  AssistantDelivery,
  {
    /** Connects a program until the returned effect runs. An older connection of the same computer ends. */
    readonly connect: (run: Connections.Run, sink: Connections.EventSink) => Effect.Effect<Effect.Effect<void>>
    /**
     * Notes that the program lives; false when its connection is gone. `problem` is why its agent cannot be started.
     */
    readonly heard: (run: Connections.Run, problem?: string | null) => Effect.Effect<boolean>
    readonly condition: (userId: string) => Effect.Effect<Condition>
    /** Hands over the user's next message, unless a computer has it already. */
    readonly deliver: (userId: string) => Effect.Effect<void>
    /** Passes an answer on to the program that asked, where it is connected; else it gets it when it comes back. */
    readonly pass: (run: Connections.Run, answer: QuestionResponse) => Effect.Effect<void>
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
    const deliver = yield* makeDeliver(connections)
    yield* Effect.forkScoped(yield* makeSweep(connections, dismissRevoked, deliver))

    return {
      connect: Effect.fn("AssistantDelivery.connect")(function* (run, sink) {
        connections.replace(run)
        yield* questions.withdrawEarlier(run.assistantId, run.instance)
        const connection = connections.add(run, sink, yield* Clock.currentTimeMillis)
        const pulseMillis = Duration.toMillis(options.silence) / 3
        sink.push({ event: "welcome", data: { permissionResponse, pulseMillis } })
        yield* deliver(run.userId)
        return Effect.map(Clock.currentTimeMillis, (now) => connections.left(connection, now))
      }),

      heard: Effect.fn("AssistantDelivery.heard")(function* (run, problem) {
        const connection = connections.find(run)
        if (connection === undefined) return false
        connections.heard(connection, yield* Clock.currentTimeMillis)
        if (problem !== undefined) connection.problem = problem
        return true
      }),

      condition: Effect.fn("AssistantDelivery.condition")(function* (userId) {
        yield* dismissRevoked(connections.of(userId))
        const present = connections.of(userId)
        const [first] = present
        if (first === undefined) return { _tag: "Offline" }
        if (first.problem === null || present.some(({ problem }) => problem === null)) return { _tag: "Online" }
        return { _tag: "Broken", problem: first.problem }
      }),

      deliver,

      pass: Effect.fn("AssistantDelivery.pass")((run, answer) =>
        Effect.sync(() => connections.find(run)?.sink.push({ event: "answer", data: answer }))
      )
    }
  })
)

/** Ends connections whose credentials are revoked, before the next sweep. */
const makeDismissRevoked = (connections: Connections.Connections) =>
  Effect.map(
    AssistantCredentials,
    (credentials) => (among: ReadonlyArray<Connections.Connection>) =>
      Effect.map(credentials.revoked(among.map(({ run }) => run.assistantId)), (revoked) => {
        for (const each of among) {
          if (revoked.has(each.run.assistantId)) connections.close(each, { event: "revoked", data: {} })
        }
      })
  )

/** Pushes a user's next message to one computer, one user after the other. */
const makeDeliver = Effect.fnUntraced(function* (connections: Connections.Connections) {
  const messages = yield* AssistantMessages
  const questions = yield* AssistantQuestions
  const { handOver } = yield* AssistantOptions
  const startedAt = yield* Clock.currentTimeMillis
  const oneAtATime = yield* Effect.makeSemaphore(1)

  return Effect.fn("AssistantDelivery.deliver")(function* (userId: string) {
    const present = connections.of(userId)
    if (present.length === 0) return
    const next = Option.getOrUndefined(yield* messages.next(userId))
    if (next === undefined) return
    const { application, clientId, content, handedTo, messageId } = next
    const holder = present.find(({ run }) => run.assistantId === handedTo)
    const now = yield* Clock.currentTimeMillis
    const absentFor = handedTo === null ? Infinity : now - (connections.lastSeen(handedTo) ?? startedAt)
    // The computer that began to answer may come back.
    if (holder === undefined && absentFor < Duration.toMillis(handOver)) return
    const connection = holder ?? present.find(({ problem }) => problem === null) ?? present[0]
    if (connection === undefined || connection.messageId === messageId) return
    if (connection !== holder) yield* messages.handOver(messageId, connection.run.assistantId)
    connection.messageId = messageId
    const data = { messageId, applicationId: clientId, application, text: content }
    connection.sink.push({ event: "message", data })
    for (const answer of yield* questions.answersTo(messageId, connection.run.instance)) {
      connection.sink.push({ event: "answer", data: answer })
    }
  }, oneAtATime.withPermits(1))
})

/** Ends silent and revoked connections now and then, and delivers what waits. */
const makeSweep = Effect.fnUntraced(function* (
  connections: Connections.Connections,
  dismissRevoked: (among: ReadonlyArray<Connections.Connection>) => Effect.Effect<void>,
  deliver: (userId: string) => Effect.Effect<void>
) {
  const messages = yield* AssistantMessages
  const options = yield* AssistantOptions

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const each of connections.all()) {
      if (now - each.heardAt > Duration.toMillis(options.silence)) {
        yield* Effect.logInfo("a local assistant went silent").pipe(Effect.annotateLogs({ ...each.run }))
        connections.close(each)
      }
    }
    yield* dismissRevoked(connections.all())
    if (connections.all().length === 0) return
    const waiting = yield* messages.waiting
    const users = new Set(connections.all().map(({ run }) => run.userId))
    for (const userId of users) if (waiting.has(userId)) yield* deliver(userId)
  }).pipe(
    Effect.catchAllCause((cause) => Effect.logError("looking after local assistants failed", cause)),
    Effect.repeat(Schedule.spaced(options.sweep))
  )
})
