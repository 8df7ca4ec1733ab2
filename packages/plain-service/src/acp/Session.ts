import { keepNewest } from "../KeepNewest.ts"
import type { Readings } from "../Readings.ts"
import { Calls, type RpcAnswer } from "./Calls.ts"
import type { Connection } from "./Connection.ts"
import type { JournalEntry, SessionUpdate } from "./Journal.ts"
import { replayed } from "./Replay.ts"

/** The agent's side of the channel: its connections, its journal, and its requests that wait (4.13, 6). */
export class Session {
  readonly journal: Array<JournalEntry> = []
  readonly connections = new Map<string, Connection>()
  readonly #id: string
  readonly #readings: () => Readings
  readonly #calls = new Calls()

  constructor(id: string, readings: () => Readings) {
    this.#id = id
    this.#readings = readings
  }

  record(entry: JournalEntry): void {
    this.journal.push(entry)
    keepNewest(this.journal)
  }

  update(update: SessionUpdate): void {
    this.record({ kind: "update", update })
    this.notify("session/update", { sessionId: this.#id, update })
  }

  /** Only connections that loaded the session get notifications. */
  notify(method: string, params: unknown): void {
    for (const connection of this.#loaded()) connection.send({ method, params })
  }

  /** Asks the newest connection; without one, the next that loads the session. */
  request(method: string, params: unknown, signal: AbortSignal): Promise<RpcAnswer> {
    const timeoutMs = this.#readings().permissionTimeoutMs
    return this.#calls.begin({ method, params }, { connection: this.#loaded().at(-1), signal, timeoutMs })
  }

  /** Replays the journal to a connection, which gets all that follows. */
  load(connection: Connection): void {
    for (const update of replayed(this.journal, this.#readings()))
      connection.send({ method: "session/update", params: { sessionId: this.#id, update } })
    connection.loaded = true
  }

  /** Sends the requests that no connection has. */
  askWaiting(connection: Connection): void {
    this.#calls.askWaiting(connection, this.#readings().pendingRequests === "askedAgain")
  }

  answer(connection: Connection, id: unknown, answer: RpcAnswer): boolean {
    return this.#calls.answer(connection, id, answer)
  }

  close(how: "end" | "reset", which: (connection: Connection) => boolean = () => true): void {
    for (const connection of this.connections.values())
      if (which(connection)) {
        this.connections.delete(connection.id)
        connection.close(how)
      }
  }

  #loaded(): ReadonlyArray<Connection> {
    return [...this.connections.values()].filter(({ loaded, open }) => loaded && open)
  }
}
