import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { AssistantCredentials, type Identity } from "./AssistantCredentials.ts"
import { AssistantOptions } from "./AssistantOptions.ts"
import { AssistantStore } from "./AssistantStore.ts"
import type { Answered, Event } from "@heddle/core/api/AssistantProtocol"
import { ServerConfig } from "../config/ServerConfig.ts"

/** One run of a computer's program. */
export interface Run extends Identity {
  readonly instance: string
}

/** The stream to a program. */
export interface Line {
  readonly push: (event: Event) => void
  readonly end: () => void
}

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
    /** Makes a line the program's own until the effect that it gives is run. An older line of the computer ends. */
    readonly connect: (run: Run, line: Line) => Effect.Effect<Effect.Effect<void>>
    /** The program lives; false when its line is gone. `problem` is why its agent cannot be started, or null. */
    readonly heard: (run: Run, problem?: string | null) => Effect.Effect<boolean>
    readonly condition: (userId: string) => Effect.Effect<Condition>
    /** Hands over the user's next message, unless a computer has it already. */
    readonly deliver: (userId: string) => Effect.Effect<void>
    /** Passes an answer on to the program that asked, where it is connected; else it gets it when it comes back. */
    readonly pass: (run: Run, answer: Answered) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<AssistantDelivery, never, AssistantCredentials | AssistantStore | ServerConfig> =
  Layer.scoped(
    AssistantDelivery,
    Effect.gen(function* () {
      const credentials = yield* AssistantCredentials
      const store = yield* AssistantStore
      const { permissionResponse } = (yield* ServerConfig).contract
      const options = yield* AssistantOptions
      const began = yield* Clock.currentTimeMillis
      // In the order in which they came.
      const connections = new Map<string, Connection>()
      const lastSeen = new Map<string, number>()
      const turn = yield* Effect.makeSemaphore(1)

      const of = (userId: string) => [...connections.values()].filter((each) => each.run.userId === userId)

      const close = (connection: Connection, last?: Event) => {
        if (connections.get(connection.run.assistantId) === connection) connections.delete(connection.run.assistantId)
        if (last !== undefined) connection.line.push(last)
        connection.line.end()
      }

      /** Ends the lines of revoked credentials; nobody has to wait for the next sweep. */
      const dismissRevoked = (among: ReadonlyArray<Connection>) =>
        Effect.map(credentials.revoked(among.map(({ run }) => run.assistantId)), (revoked) => {
          for (const each of among) if (revoked.has(each.run.assistantId)) close(each, { event: "revoked", data: {} })
        })

      const deliver = Effect.fn("AssistantDelivery.deliver")(function* (userId: string) {
        const present = of(userId)
        if (present.length === 0) return
        const next = Option.getOrUndefined(yield* store.next(userId))
        if (next === undefined) return
        const { application, clientId, content, handedTo, messageId } = next
        const now = yield* Clock.currentTimeMillis
        const holder = present.find(({ run }) => run.assistantId === handedTo)
        const missed = handedTo === null ? Infinity : now - (lastSeen.get(handedTo) ?? began)
        if (holder === undefined && missed < Duration.toMillis(options.handOver)) return
        const connection = holder ?? present.find(({ problem }) => problem === null) ?? present[0]
        if (connection === undefined || connection.carries === messageId) return
        if (connection !== holder) yield* store.handOver(messageId, connection.run.assistantId)
        connection.carries = messageId
        const data = { messageId, applicationId: clientId, application, text: content }
        connection.line.push({ event: "message", data })
        for (const answer of yield* store.answersTo(messageId, connection.run.instance)) {
          connection.line.push({ event: "answer", data: answer })
        }
      }, turn.withPermits(1))

      yield* Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        for (const each of connections.values()) {
          if (now - each.heardAt > Duration.toMillis(options.silence)) {
            yield* Effect.logInfo("a local assistant went silent").pipe(Effect.annotateLogs({ ...each.run }))
            close(each)
          }
        }
        yield* dismissRevoked([...connections.values()])
        if (connections.size === 0) return
        const waiting = yield* store.waiting
        const users = new Set([...connections.values()].map(({ run }) => run.userId))
        for (const userId of users) if (waiting.has(userId)) yield* deliver(userId)
      }).pipe(
        Effect.catchAllCause((cause) => Effect.logError("looking after local assistants failed", cause)),
        Effect.repeat(Schedule.spaced(options.sweep)),
        Effect.forkScoped
      )

      return {
        connect: Effect.fn("AssistantDelivery.connect")(function* (run, line) {
          const earlier = connections.get(run.assistantId)
          if (earlier !== undefined) {
            close(earlier, earlier.run.instance === run.instance ? undefined : { event: "replaced", data: {} })
          }
          yield* store.withdrawEarlier(run.assistantId, run.instance)
          const heardAt = yield* Clock.currentTimeMillis
          const connection: Connection = { run, line, heardAt, carries: undefined, problem: null }
          connections.set(run.assistantId, connection)
          lastSeen.set(run.assistantId, heardAt)
          const pulseMillis = Duration.toMillis(options.silence) / 3
          line.push({ event: "welcome", data: { permissionResponse, pulseMillis } })
          yield* deliver(run.userId)
          return Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.sync(() => {
              lastSeen.set(run.assistantId, now)
              close(connection)
            })
          )
        }),

        heard: Effect.fn("AssistantDelivery.heard")(function* (run, problem) {
          const connection = connections.get(run.assistantId)
          if (connection?.run.instance !== run.instance) return false
          connection.heardAt = yield* Clock.currentTimeMillis
          lastSeen.set(run.assistantId, connection.heardAt)
          if (problem !== undefined) connection.problem = problem
          return true
        }),

        condition: Effect.fn("AssistantDelivery.condition")(function* (userId) {
          yield* dismissRevoked(of(userId))
          const present = of(userId)
          const [first] = present
          if (first === undefined) return { _tag: "Offline" }
          if (first.problem === null || present.some(({ problem }) => problem === null)) return { _tag: "Online" }
          return { _tag: "Broken", problem: first.problem }
        }),

        deliver,

        pass: Effect.fn("AssistantDelivery.pass")((run, answer) =>
          Effect.sync(() => {
            const connection = connections.get(run.assistantId)
            if (connection?.run.instance === run.instance) connection.line.push({ event: "answer", data: answer })
          })
        )
      }
    })
  )

interface Connection {
  readonly run: Run
  readonly line: Line
  heardAt: number
  /** The message that was last handed to it on this line. */
  carries: string | undefined
  problem: string | null
}
