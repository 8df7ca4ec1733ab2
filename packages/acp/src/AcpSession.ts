import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type {
  AcpError,
  AlreadyAnswered,
  AnswerNotDelivered,
  DeliveryUnknown,
  Detached,
  InvalidChoice,
  NotDelivered,
  UnsupportedContent
} from "./AcpError.ts"
import type * as Extension from "./Extension.ts"
import * as Session from "./internal/session/Session.ts"
import type * as Permission from "./Permission.ts"
import type * as Wire from "./schema/generated/AcpSchema.ts"
import type { SessionEvent } from "./SessionEvent.ts"
import type { Options } from "./SessionOptions.ts"
import type * as SessionState from "./SessionState.ts"
import * as SseTransport from "./SseTransport.ts"
import type { Transport } from "./Transport.ts"
import type { CancelResult, TurnEnd } from "./TurnEnd.ts"

export type { SessionEvent, Withdrawal } from "./SessionEvent.ts"
export type { Options } from "./SessionOptions.ts"
export type { CancelResult, TurnEnd } from "./TurnEnd.ts"

/** What happens in a turn; `Ended` is the last. */
export type TurnEvent<E = Extension.Standard> = SessionEvent<E> | { readonly _tag: "Ended"; readonly end: TurnEnd }

/** One session of one agent, kept open over broken connections; `E` are the extension notifications that it decodes. */
export interface AcpSession<E = Extension.Standard> {
  readonly sessionId: string
  readonly state: Effect.Effect<SessionState.SessionState>
  /**
   * The state as the response to the last `session/load` left it: what arrived after it is not in it. The present state
   * where nothing was loaded.
   */
  readonly loadedState: Effect.Effect<SessionState.SessionState>
  /** Starts with the present state, open requests included. A slow reader gets the newest state, not every one. */
  readonly changes: Stream.Stream<SessionEvent<E>>
  /**
   * Gives the events of `changes` to an effect, in batches, and ends with the session. It needs no memory for a stream:
   * for programs that follow many sessions.
   */
  readonly follow: <FollowError, R>(
    use: (events: ReadonlyArray<SessionEvent<E>>) => Effect.Effect<unknown, FollowError, R>
  ) => Effect.Effect<void, FollowError, R>
  /** Waits for the end of the session and fails with its reason. */
  readonly closed: Effect.Effect<never, AcpError>
  /**
   * Sends a prompt and waits for the end of its turn; interrupting it leaves the turn running.
   *
   * One turn runs at a time: a second prompt waits for the end of the turns before it. A prompt that is interrupted while
   * it waits is not sent, and so is one that fails with `ConnectionLost` and `sent: false`. With `Detached` the turn may
   * still be running: the prompt is not sent again, and `awaitIdle` waits for the end of the turn.
   */
  readonly prompt: (
    content: ReadonlyArray<Wire.ContentBlock>
  ) => Effect.Effect<TurnEnd, AcpError | Detached | UnsupportedContent>
  /**
   * Sends a prompt like `prompt`, with the same errors, and emits the events until its turn ends. These are the present
   * state, its changes, and last the end. Ending the stream early leaves the turn running.
   */
  readonly turn: (
    content: ReadonlyArray<Wire.ContentBlock>
  ) => Stream.Stream<TurnEvent<E>, AcpError | Detached | UnsupportedContent>
  /**
   * Cancels the running turn and waits for its end; open requests are answered as cancelled.
   *
   * `cancelDeadline` after the call the turn is over for this client, whether or not the agent confirmed it. The message
   * to the agent is repeated until then. Fails only if no turn runs and the message cannot be sent.
   *
   * `ended` is a turn that the agent ended with another stop reason than `cancelled`, or with an error. `unconfirmed`
   * comes after the deadline, after a broken connection, and where no turn of this client runs.
   *
   * The message names no turn. While it is on its way a later prompt waits, and closing the session waits until the
   * deadline at most. An agent that gets the message after the server took it may cancel a later turn.
   */
  readonly cancel: Effect.Effect<CancelResult, AcpError>
  /**
   * Waits for the end of a turn without a response: one that became `Detached`, or one of another client.
   *
   * `busy` tells whether the agent works, such as by the task's status. It runs every 0.5 to 5 seconds until it is false;
   * its error ends the wait. Then the channel is ready, the history is complete, and nothing was received for 0.3
   * seconds; for that silence it waits 6 seconds at most.
   *
   * A prompt that became `Detached` may not have arrived. If the agent can load the session, a prompt missing in its
   * history fails with `NotDelivered` and is removed from the state. It can be sent again then. A history without the
   * messages of users, to which the agent has added nothing, proves nothing: `DeliveryUnknown`.
   */
  readonly awaitIdle: <BusyError, R>(
    busy: Effect.Effect<boolean, BusyError, R>
  ) => Effect.Effect<void, BusyError | AcpError | NotDelivered | DeliveryUnknown, R>
  /**
   * Answers a request of the agent, and waits until the service has taken the answer. The first answer counts; an invalid
   * one leaves the request open.
   *
   * An answer belongs to the connection of its request. When that is gone, and the agent does not repeat the request on
   * the next one, this fails with `AnswerNotDelivered`. Interrupting it does not take the answer back.
   */
  readonly answerPermission: (
    requestId: string,
    answer: Permission.Answer
  ) => Effect.Effect<void, AlreadyAnswered | InvalidChoice | AnswerNotDelivered>
  /**
   * Chooses the mode of the agent, also while a turn runs; `SessionControls` tells which there are. An agent that has its
   * modes among its options gets them as an option. Fails with the agent's `RpcError` for a mode that it does not take.
   */
  readonly setMode: (modeId: string) => Effect.Effect<void, AcpError>
  /** Chooses the model likewise: as an option, or by the protocol's older request. */
  readonly setModel: (modelId: string) => Effect.Effect<void, AcpError>
  /** Sets an option of the agent, likewise. */
  readonly setConfigOption: (configId: string, value: string | boolean) => Effect.Effect<void, AcpError>
  /**
   * Sends a vendor's request about this session, such as `_vendor.ai/files/publish`, and gives its result. It is repeated
   * when the connection breaks, so it must be one that does no harm twice.
   */
  readonly callExtension: (method: string, params: object) => Effect.Effect<unknown, AcpError>
  /** The response to the latest `initialize`. */
  readonly agent: Effect.Effect<Wire.InitializeResponse, AcpError>
}

/** Opens a task's session over its channel (contract 4.13): connects, initializes, loads. */
export const open = <E = Extension.Standard>(
  options: Options<E> & SseTransport.Options
): Effect.Effect<AcpSession<E>, AcpError, Scope.Scope> => make(SseTransport.make(options), options)

/** Opens a session over any transport. */
export const make = <E = Extension.Standard>(
  transport: Transport,
  options: Options<E>
): Effect.Effect<AcpSession<E>, AcpError, Scope.Scope> =>
  // What runs for as long as the session lives is no part of the span of its opening.
  Effect.flatMap(Effect.runtime<Scope.Scope>(), (runtime) =>
    Effect.withSpan(Session.open(transport, options, runtime), "AcpSession.make")
  )
