import type { Event } from "@heddle/core/api/AssistantProtocol"
import type { Identity } from "./AssistantCredentials.ts"

/** One run of the program on a user's computer. */
export interface Run extends Identity {
  readonly instance: string
}

/** The stream of events to a program. */
export interface EventSink {
  readonly push: (event: Event) => void
  readonly end: () => void
}

/** A connected program; `lastSeenAt` is milliseconds of the monotonic clock. */
export interface Connection {
  readonly run: Run
  readonly sink: EventSink
  lastSeenAt: number
  /** The last message that was sent to it. */
  messageId: string | undefined
  /** Why its agent cannot start, or null. */
  problem: string | null
}

/** The connected programs, at most one per computer, the longest connected first. */
export interface Connections {
  readonly all: () => ReadonlyArray<Connection>
  readonly of: (userId: string) => ReadonlyArray<Connection>
  /** The connection of this run; undefined if it is gone or another run replaced it. */
  readonly find: (run: Run) => Connection | undefined
  /** Ends the computer's existing connection. */
  readonly replace: (run: Run) => void
  readonly add: (run: Run, sink: EventSink, now: number) => Connection
  /** Records a sign of life of a program. */
  readonly markSeen: (connection: Connection, now: number) => void
  /** Ends a connection, optionally after a last event. */
  readonly close: (connection: Connection, lastEvent?: Event) => void
  /** When a computer was last connected, by the monotonic clock; undefined if it has not been since the start. */
  readonly lastSeenAt: (assistantId: string) => number | undefined
  readonly disconnect: (connection: Connection, now: number) => void
}

export const make = (): Connections => {
  const byComputer = new Map<string, Connection>()
  const lastSeenTimes = new Map<string, number>()
  const all = () => [...byComputer.values()]

  const close = (connection: Connection, lastEvent?: Event) => {
    const { assistantId } = connection.run
    if (byComputer.get(assistantId) === connection) byComputer.delete(assistantId)
    if (lastEvent !== undefined) connection.sink.push(lastEvent)
    connection.sink.end()
  }

  return {
    all,
    of: (userId) => all().filter(({ run }) => run.userId === userId),
    find: (run) => {
      const connection = byComputer.get(run.assistantId)
      return connection?.run.instance === run.instance ? connection : undefined
    },
    replace: (run) => {
      const existing = byComputer.get(run.assistantId)
      if (existing === undefined) return
      close(existing, existing.run.instance === run.instance ? undefined : { event: "replaced", data: {} })
    },
    add: (run, sink, now) => {
      const connection: Connection = { run, sink, lastSeenAt: now, messageId: undefined, problem: null }
      byComputer.set(run.assistantId, connection)
      lastSeenTimes.set(run.assistantId, now)
      return connection
    },
    markSeen: (connection, now) => {
      connection.lastSeenAt = now
      lastSeenTimes.set(connection.run.assistantId, now)
    },
    close,
    lastSeenAt: (assistantId) => lastSeenTimes.get(assistantId),
    disconnect: (connection, now) => {
      lastSeenTimes.set(connection.run.assistantId, now)
      close(connection)
    }
  }
}
