import { randomBytes } from "node:crypto"
import type { Context } from "../context/Context.ts"
import type { Dispatch } from "./Dispatch.ts"
import { presenceDispatch } from "./Dispatches.ts"
import { EventFaults } from "./EventFaults.ts"
import { offlinePresence, type Presence } from "./Presence.ts"
import { restoreSessions } from "./RestoreSessions.ts"
import { Session } from "./Session.ts"
import type { SessionRecord, SessionStore } from "./SessionStore.ts"

/** How long a session without a connection can be resumed, in milliseconds. */
const resumableMs = 180_000
const expiryIntervalMs = 15_000

/** The sessions of all clients, connected or resumable. */
export class Sessions {
  readonly #context: Context
  readonly #sessionStore: SessionStore
  readonly #sessions = new Map<string, Session>()
  readonly #eventFaults: EventFaults
  readonly #expiry: NodeJS.Timeout

  constructor(context: Context, sessionStore: SessionStore) {
    this.#context = context
    this.#sessionStore = sessionStore
    this.#eventFaults = new EventFaults(context.faults)
    for (const session of restoreSessions(context, sessionStore)) this.add(session)
    this.#expiry = setInterval(() => this.#expire(), expiryIntervalMs)
    this.#expiry.unref()
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id)
  }

  /** Creates a session that gets no events until `add`. */
  create(identity: Omit<SessionRecord, "id">): Session {
    const record = { ...identity, id: randomBytes(16).toString("hex") }
    return new Session(record, this.#sessionStore.open(record))
  }

  add(session: Session): void {
    this.#sessions.set(session.record.id, session)
  }

  /** Sends the events of the change `position` to every session that may receive them. */
  publish(dispatches: ReadonlyArray<Dispatch>, position?: number): void {
    if (dispatches.length === 0) return
    const send = (copies: ReadonlyArray<Dispatch>): void => this.publishUnaltered(copies, position)
    const sendLater = (copies: ReadonlyArray<Dispatch>): void => this.publishUnaltered(copies)
    send(dispatches.flatMap((dispatch) => this.#eventFaults.apply(dispatch, sendLater)))
  }

  /** Sends events that no fault touches. */
  publishUnaltered(dispatches: ReadonlyArray<Dispatch>, position?: number): void {
    for (const session of this.#sessions.values())
      session.dispatch(dispatches, this.#context.store.guild.guildId, position)
  }

  /** Sends each session an event of its own that no fault touches. */
  publishEach(dispatchOf: (session: Session) => Dispatch): void {
    for (const session of this.#sessions.values())
      session.dispatch([dispatchOf(session)], this.#context.store.guild.guildId)
  }

  /** Sends one session the event that it requested. */
  reply(session: Session, event: string, data: object): void {
    const send = (copies: ReadonlyArray<{ readonly event: string }>): void => {
      for (const copy of copies) session.send(copy.event, data)
    }
    send(this.#eventFaults.apply({ event }, send))
  }

  /** The presence of the bot: that of the newest connected session. */
  presence(): Presence {
    const connected = [...this.#sessions.values()].filter(({ transport }) => transport !== undefined)
    return connected.at(-1)?.presence ?? offlinePresence
  }

  publishPresence(): void {
    const presence = this.presence()
    const { activities, status } = presence
    const { store, transientEvents } = this.#context
    transientEvents.emit({ type: "presence", userId: store.guild.botId, status, activities })
    this.publish([presenceDispatch(this.#context, presence)])
  }

  /** Keeps a disconnected session for a resume; `isFinal` ends it. */
  disconnect(session: Session, isFinal: boolean): void {
    session.disconnect()
    if (isFinal) this.#end(session)
    this.publishPresence()
  }

  /** Ends all sessions: their clients have to identify again. */
  endAll(): void {
    const wasConnected = [...this.#sessions.values()].some(({ transport }) => transport !== undefined)
    for (const session of this.#sessions.values()) this.#end(session)
    if (wasConnected) this.publishPresence()
  }

  /** Stops delayed events and the expiry of sessions. */
  stopTimers(): void {
    clearInterval(this.#expiry)
    this.#eventFaults.close()
  }

  /** Leaves the sessions to the next run. */
  close(): void {
    for (const session of this.#sessions.values()) session.close()
    this.#sessions.clear()
  }

  #end(session: Session): void {
    this.#sessions.delete(session.record.id)
    session.end()
  }

  #expire(): void {
    for (const session of this.#sessions.values()) if (session.disconnectedMs() > resumableMs) this.#end(session)
  }
}
