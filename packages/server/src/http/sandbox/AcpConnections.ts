import type { TaskId } from "@heddle/core/domain/Task"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import * as Metrics from "../../observability/Metrics.ts"
import type { ClientConnection } from "../../sandbox/Sandbox.ts"
import type { SandboxRegistry } from "../../sandbox/SandboxRegistry.ts"
import type { Options } from "../../config/SandboxOptions.ts"
import * as FrameBudget from "../../sandbox/channel/FrameBudget.ts"
import * as SseChannel from "../../sandbox/channel/SseChannel.ts"
import * as StreamableChannel from "../../sandbox/channel/StreamableChannel.ts"
import { DataVersion } from "../../sql/DataVersion.ts"
import type { Tickets, VerifiedTicket } from "../../tasks/Tickets.ts"
import { refuse, type SandboxRefusal } from "./SandboxResponses.ts"

/** A client's connection with a task's sandbox. */
export type OpenConnection = ConnectionBase &
  (
    | { readonly kind: "single"; readonly channel: SseChannel.SseChannel }
    | { readonly kind: "streamable"; readonly channel: StreamableChannel.StreamableChannel }
  )

/** The connections of this process. */
export interface AcpConnections {
  /** Finds an open connection of the task. */
  readonly find: (taskId: TaskId, id: string) => OpenConnection | undefined
  /** Opens a connection with a single stream. */
  readonly openSingle: (opener: Opener) => Effect.Effect<ConnectionOf<"single">, SandboxRefusal>
  /** Opens a connection of the streamable HTTP transport. */
  readonly openStreamable: (opener: Opener) => Effect.Effect<ConnectionOf<"streamable">, SandboxRefusal>
  /** Notes the grant under which the client opened the current stream. */
  readonly updateGrant: (open: OpenConnection, grantId: string) => void
}

/** A connection of one kind. */
export type ConnectionOf<Kind extends OpenConnection["kind"]> = Extract<OpenConnection, { readonly kind: Kind }>

/** Tells whether an id names a connection of the streamable HTTP transport, of this process or of one before it. */
export const isStreamable = (id: string): boolean => id.startsWith(streamablePrefix)

/** Makes the connections. Closing the scope closes them; the end of a grant closes its connections. */
export const make = Effect.fn("AcpConnections.make")(function* (
  options: Options,
  tickets: Pick<Context.Tag.Service<Tickets>, "liveGrants">,
  { join }: Pick<Context.Tag.Service<SandboxRegistry>, "join">
): Effect.fn.Return<AcpConnections, never, Scope.Scope> {
  const connections = new Map<string, OpenConnection>()
  const budget = FrameBudget.make(options.maxHeld)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { channel } of connections.values()) channel.close()
    })
  )

  // Token requests, pages and the command line end grants, also in another process: so check the version of the data.
  const version = yield* DataVersion
  let checkedVersion: number | undefined
  const closeRevoked = Effect.gen(function* () {
    const currentVersion = version()
    if (connections.size === 0 || (currentVersion !== undefined && currentVersion === checkedVersion)) return
    const open = [...connections.values()]
    const live = yield* tickets.liveGrants([...new Set(open.map(({ grantId }) => grantId))])
    for (const { channel, grantId } of open) if (!live.has(grantId)) channel.close()
    checkedVersion = currentVersion
  }).pipe(
    Effect.catchAllCause((cause) =>
      Effect.logWarning("ended grants could not be looked up; the next look tries again", cause)
    )
  )
  yield* closeRevoked.pipe(Effect.schedule(Schedule.spaced("500 millis")), Effect.forkScoped)

  const add = <O extends OpenConnection>(opener: Opener, id: string, makeConnection: (onClose: () => void) => O) =>
    Effect.suspend((): Effect.Effect<O, SandboxRefusal> => {
      let openCount = 0
      for (const { taskId } of connections.values()) if (taskId === opener.taskId) openCount += 1
      if (openCount >= options.maxConnections) {
        return refuse(429, `This sandbox has ${options.maxConnections} open connections: close one first`)
      }
      const connection = makeConnection(() => {
        connections.delete(id)
        Metrics.changeConnections(-1)
        connection.connected.leave()
      })
      connections.set(id, connection)
      Metrics.changeConnections(1)
      // The grant may have ended after the check of the ticket, so force a new check.
      checkedVersion = undefined
      return Effect.succeed(connection)
    })

  return {
    find: (taskId, id) => {
      const connection = connections.get(id)
      return connection?.taskId === taskId ? connection : undefined
    },
    openSingle: (opener) => {
      const { grantId, mayInvoke, taskId } = opener
      const id = randomUUID()
      return add(opener, id, (onClose) => {
        const channel = SseChannel.make(id, options, budget, onClose)
        return { kind: "single", taskId, grantId, mayInvoke, channel, connected: join(taskId, channel) }
      })
    },
    openStreamable: (opener) => {
      const { grantId, mayInvoke, taskId } = opener
      const id = `${streamablePrefix}${randomUUID()}`
      return add(opener, id, (onClose) => {
        const channel = StreamableChannel.make(id, options, budget, onClose)
        return { kind: "streamable", taskId, grantId, mayInvoke, channel, connected: join(taskId, channel) }
      })
    },
    updateGrant: (open, grantId) => {
      open.grantId = grantId
      checkedVersion = undefined
    }
  }
})

interface ConnectionBase {
  readonly taskId: TaskId
  /** The grant of the ticket that opened the current stream. */
  grantId: string
  /** The ticket that opened it may do more than read: only such tickets may use it. */
  readonly mayInvoke: boolean
  readonly connected: ClientConnection
}

/** The ticket that opens a connection. */
type Opener = Pick<VerifiedTicket, "grantId" | "mayInvoke" | "taskId">

/** Tells the transport by the id, because a client needs the right error even when its connection is unknown. */
const streamablePrefix = "s-"
