import type { TaskId } from "@heddle/core/domain/Task"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import * as Metrics from "../../observability/Metrics.ts"
import type { Connected, Sandbox } from "../../sandbox/Sandbox.ts"
import type { Options } from "../../config/SandboxOptions.ts"
import * as SseChannel from "../../sandbox/channel/SseChannel.ts"
import * as StreamableChannel from "../../sandbox/channel/StreamableChannel.ts"
import { DataVersion } from "../../sql/DataVersion.ts"
import type { Tickets } from "../../tasks/Tickets.ts"
import { refuse, type SandboxRefusal } from "./SandboxResponses.ts"

/** A client's connection with a task's sandbox. */
export type Open = Held &
  (
    | { readonly kind: "single"; readonly channel: SseChannel.SseChannel }
    | { readonly kind: "streamable"; readonly channel: StreamableChannel.StreamableChannel }
  )

/** The connections of this process. A foreign task's connection is as unknown here as a closed one. */
export interface AcpConnections {
  readonly find: (taskId: TaskId, id: string) => Open | undefined
  /** Opens a connection that is read through one stream. */
  readonly single: (sandbox: Sandbox, grantId: string) => Effect.Effect<OpenAs<"single">, SandboxRefusal>
  /** Opens a connection of the streamable HTTP transport. */
  readonly streamable: (sandbox: Sandbox, grantId: string) => Effect.Effect<OpenAs<"streamable">, SandboxRefusal>
  /** A stream of the connection is opened under a grant, which may be another one than before. */
  readonly read: (open: Open, grantId: string) => void
}

/** A connection of one kind. */
export type OpenAs<Kind extends Open["kind"]> = Extract<Open, { readonly kind: Kind }>

/** Tells whether an id names a connection of the streamable HTTP transport, of this process or of one before it. */
export const isStreamable = (id: string): boolean => id.startsWith(streamablePrefix)

/** Makes the connections; closing the scope closes them, and so does the end of their grant. */
export const make = Effect.fn("AcpConnections.make")(function* (
  options: Options,
  tickets: Pick<Context.Tag.Service<Tickets>, "live">
): Effect.fn.Return<AcpConnections, never, Scope.Scope> {
  const connections = new Map<string, Open>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { channel } of connections.values()) channel.close()
    })
  )

  /** Grants end in token requests, on pages and by administration, which may be another process. */
  const version = yield* DataVersion
  let seen: number | undefined
  const closeEnded = Effect.gen(function* () {
    const now = version()
    if (connections.size === 0 || (now !== undefined && now === seen)) return
    const open = [...connections.values()]
    const live = yield* tickets.live([...new Set(open.map(({ grantId }) => grantId))])
    for (const { channel, grantId } of open) if (!live.has(grantId)) channel.close()
    seen = now
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("ended grants could not be looked up; the next look tries again", cause)
    )
  )
  yield* closeEnded.pipe(Effect.schedule(Schedule.spaced("500 millis")), Effect.forkScoped)

  const add = <O extends Open>(sandbox: Sandbox, id: string, of: (onClose: () => void) => O) =>
    Effect.suspend((): Effect.Effect<O, SandboxRefusal> => {
      let present = 0
      for (const { taskId } of connections.values()) if (taskId === sandbox.taskId) present += 1
      if (present >= options.maxConnections) {
        return refuse(429, `This sandbox has ${options.maxConnections} open connections: close one first`)
      }
      const open = of(() => {
        connections.delete(id)
        Metrics.connections(-1)
        open.connected.leave()
      })
      connections.set(id, open)
      Metrics.connections(1)
      // Its grant may have ended after its ticket was checked.
      seen = undefined
      return Effect.succeed(open)
    })

  return {
    find: (taskId, id) => {
      const found = connections.get(id)
      return found?.taskId === taskId ? found : undefined
    },
    single: (sandbox, grantId) => {
      const id = randomUUID()
      return add(sandbox, id, (onClose) => {
        const channel = SseChannel.make(id, options, onClose)
        return { kind: "single", taskId: sandbox.taskId, grantId, channel, connected: sandbox.join(channel) }
      })
    },
    streamable: (sandbox, grantId) => {
      const id = `${streamablePrefix}${randomUUID()}`
      return add(sandbox, id, (onClose) => {
        const channel = StreamableChannel.make(id, options, onClose)
        return { kind: "streamable", taskId: sandbox.taskId, grantId, channel, connected: sandbox.join(channel) }
      })
    },
    read: (open, grantId) => {
      open.grantId = grantId
      seen = undefined
    }
  }
})

interface Held {
  readonly taskId: TaskId
  /** Whose ticket opened the stream that is read now. */
  grantId: string
  readonly connected: Connected
}

/** A client that comes back has to be answered in its own transport's way, even where its connection is not known. */
const streamablePrefix = "s-"
