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

/** A connected program; `heardAt` is epoch milliseconds. */
export interface Connection {
  readonly run: Run
  readonly sink: EventSink
  heardAt: number
  /** The message that was last pushed to it. */
  messageId: string | undefined
  /** Why its agent cannot be started, or null. */
  problem: string | null
}

/** The connected programs, at most one per computer, the longest connected first. */
export interface Connections {
  readonly all: () => ReadonlyArray<Connection>
  readonly of: (userId: string) => ReadonlyArray<Connection>
  /** The connection of this run; undefined when it is gone or another run took its place. */
  readonly find: (run: Run) => Connection | undefined
  /** Ends the connection that the computer has already. */
  readonly replace: (run: Run) => void
  readonly add: (run: Run, sink: EventSink, now: number) => Connection
  /** Notes that a program lives. */
  readonly heard: (connection: Connection, now: number) => void
  /** Ends a connection, after a last event if one is given. */
  readonly close: (connection: Connection, last?: Event) => void
  /** When a computer was last connected, in epoch milliseconds; undefined when it was not since the start. */
  readonly lastSeen: (assistantId: string) => number | undefined
  readonly left: (connection: Connection, now: number) => void
}

export const make = (): Connections => {
  const byComputer = new Map<string, Connection>()
  const seenAt = new Map<string, number>()
  const all = () => [...byComputer.values()]

  const close = (connection: Connection, last?: Event) => {
    const { assistantId } = connection.run
    if (byComputer.get(assistantId) === connection) byComputer.delete(assistantId)
    if (last !== undefined) connection.sink.push(last)
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
      const earlier = byComputer.get(run.assistantId)
      if (earlier === undefined) return
      close(earlier, earlier.run.instance === run.instance ? undefined : { event: "replaced", data: {} })
    },
    add: (run, sink, now) => {
      const connection: Connection = { run, sink, heardAt: now, messageId: undefined, problem: null }
      byComputer.set(run.assistantId, connection)
      seenAt.set(run.assistantId, now)
      return connection
    },
    heard: (connection, now) => {
      connection.heardAt = now
      seenAt.set(connection.run.assistantId, now)
    },
    close,
    lastSeen: (assistantId) => seenAt.get(assistantId),
    left: (connection, now) => {
      seenAt.set(connection.run.assistantId, now)
      close(connection)
    }
  }
}
