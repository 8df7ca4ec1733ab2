import type * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Extension from "../../Extension.ts"
import type * as Permission from "../../Permission.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import type { Options } from "../../SessionOptions.ts"
import * as SessionState from "../../SessionState.ts"
import type { Transport } from "../../Transport.ts"
import type { Background } from "../Background.ts"
import { Peer } from "../rpc/Peer.ts"
import { Broadcast } from "./Broadcast.ts"
import { EventLoop } from "./EventLoop.ts"
import { InboundRouter } from "./InboundRouter.ts"
import { PendingRequests } from "./PendingRequests.ts"
import * as PromptEvidence from "./PromptEvidence.ts"
import * as SessionCommands from "./SessionCommands.ts"
import { type Command, type Event, initial, type State, type Step } from "./SessionLife.ts"
import { SessionHandlers } from "./SessionHandlers.ts"
import * as SessionMachine from "./SessionMachine.ts"
import { SessionStateRef } from "./SessionStateRef.ts"

/** Where a session runs. */
export interface Environment {
  readonly transport: Transport
  readonly clock: Clock.Clock
  /** What runs until the connection is closed. */
  readonly connection: Background
  /** What runs until the session is closed. */
  readonly session: Background
}

/** The parts of a session, and what they know of each other: one object, since thousands of sessions may be idle. */
export class SessionContext<E> implements SessionCommands.Context<E> {
  readonly options: Options<E>
  readonly extensions: Extension.Registry<E>
  readonly transport: Transport
  readonly clock: Clock.Clock
  readonly broadcast: Broadcast<SessionEvent<E>> = new Broadcast(this)
  readonly state: SessionStateRef
  readonly requests: PendingRequests = new PendingRequests(this)
  readonly router: InboundRouter<E>
  readonly callers: SessionCommands.Callers = { prompts: new Map(), cancels: new Map(), promptRecords: new Map() }
  readonly loop: EventLoop<State, Event, Command>
  readonly connection: Peer
  readonly #background: Background
  attaching: Fiber.RuntimeFiber<void> | undefined

  constructor(options: Options<E>, { clock, connection, session, transport }: Environment) {
    this.options = options
    // Without options.extensions, E is the event type of the standard registry.
    this.extensions = (options.extensions ?? Extension.standard) as Extension.Registry<E>
    this.transport = transport
    this.clock = clock
    this.state = new SessionStateRef(options.state ?? SessionState.empty, this.broadcast)
    this.router = new InboundRouter(this, options.sessionId)
    this.loop = new EventLoop(initial, this)
    this.connection = new Peer(transport, new SessionHandlers(this), connection)
    this.#background = session
  }

  // For the requests of the agent.
  get deadline(): Duration.DurationInput {
    return this.options.permissionDeadline ?? "300 seconds"
  }
  get repeatAnswers(): boolean {
    return this.options.repeatAnswers ?? true
  }
  changed(permissions: ReadonlyArray<Permission.PermissionRequest>): void {
    this.state.set({ permissions })
  }
  publish(event: SessionEvent<E>): void {
    this.broadcast.event(event)
  }
  isCancelling(): boolean {
    return this.life().turn?.cancellation === "Requested"
  }

  // For the readers.
  changesOf(changed: ReadonlySet<string>): SessionEvent<E> {
    return { _tag: "StateChanged", state: this.state.get(), changed }
  }
  droppedOf(count: number): SessionEvent<E> {
    return { _tag: "EventsDropped", count }
  }

  // For the machine and its commands.
  life(): State {
    return this.loop.state
  }
  step(state: State, event: Event): Step {
    return SessionMachine.step(state, event)
  }
  perform(command: Command): void {
    SessionCommands.perform(this, command)
  }
  dispatch(event: Event): void {
    this.loop.dispatch(event)
  }
  fork<A>(effect: Effect.Effect<A>): Fiber.RuntimeFiber<A> {
    return this.#background.fork(effect)
  }

  /** The replayed history shows whether the prompt arrived whose connection broke before its answer. */
  onHistory(history: SessionState.SessionState): void {
    const { doubt } = this.life()
    const record = doubt === undefined ? undefined : this.callers.promptRecords.get(doubt.id)
    if (record === undefined) return
    this.dispatch({ _tag: "HistoryReplayed", finding: PromptEvidence.find(record, history, this.state.get()) })
  }
}
