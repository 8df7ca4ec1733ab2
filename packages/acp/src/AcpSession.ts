import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type {
  AcpError,
  AlreadyAnswered,
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
import type { TurnEnd } from "./TurnEnd.ts"

export type { SessionEvent, Withdrawal } from "./SessionEvent.ts"
export type { Options } from "./SessionOptions.ts"
export type { TurnEnd } from "./TurnEnd.ts"

/** What happens in a turn; `Ended` is the last. */
export type TurnEvent<E = Extension.Standard> = SessionEvent<E> | { readonly _tag: "Ended"; readonly end: TurnEnd }

/** One session of one agent, kept up over broken connections; `E` are the extension notifications that it reads. */
export interface AcpSession<E = Extension.Standard> {
  readonly sessionId: string
  readonly state: Effect.Effect<SessionState.SessionState>
  /** Starts with the present state, open requests included. A reader that is slow gets the newest state, not every one. */
  readonly changes: Stream.Stream<SessionEvent<E>>
  /**
   * Gives what `changes` gives to an effect, all that is there at a time, and ends with the session. It spares
   * what a stream costs: for who follows many sessions.
   */
  readonly follow: <FollowError, R>(
    use: (events: ReadonlyArray<SessionEvent<E>>) => Effect.Effect<unknown, FollowError, R>
  ) => Effect.Effect<void, FollowError, R>
  /** Waits until the session is over and fails with the reason. */
  readonly closed: Effect.Effect<never, AcpError>
  /**
   * Sends a prompt and waits for the end of its turn; interrupting it leaves the turn running.
   *
   * One turn runs at a time: a second prompt waits, and is sent when the turns before it have ended, cancelled ones
   * included; one that is interrupted while it waits is not sent. With `ConnectionLost` and `sent: false` nothing was sent.
   * `Detached` means that the turn may still be running: the prompt is not sent again, and `awaitIdle` learns its end.
   */
  readonly prompt: (
    content: ReadonlyArray<Wire.ContentBlock>
  ) => Effect.Effect<TurnEnd, AcpError | Detached | UnsupportedContent>
  /**
   * Sends a prompt as `prompt` does and gives what happens until its turn ends, the end last: first the present state,
   * then its changes, united for a reader that is slow. Its errors are the prompt's; leaving it leaves the turn running.
   */
  readonly turn: (
    content: ReadonlyArray<Wire.ContentBlock>
  ) => Stream.Stream<TurnEvent<E>, AcpError | Detached | UnsupportedContent>
  /**
   * Cancels the running turn and waits for its end; what is asked in it is answered so.
   *
   * `cancelDeadline` after the call the turn is over for this client, whatever became of the message to the agent, which
   * is repeated until then. Fails only where no turn runs and the agent cannot be told.
   *
   * The message names no turn. So while one is on its way, a later prompt waits, and closing the session waits as well,
   * until that deadline at most: it would stop what the next session prompts. All that can be waited for is that the
   * server takes it; an agent to which it is handed later than that may stop in a later turn.
   */
  readonly cancel: Effect.Effect<void, AcpError>
  /**
   * Waits for the end of a turn that has no answer to wait for: one that became `Detached`, or that somebody else began.
   *
   * `busy` asks whoever knows, such as the task's status; it is asked again every 0.5 to 5 seconds, and its error ends
   * the waiting. After its "no" the channel is up, the history complete, and nothing has arrived for 0.3 seconds; for
   * such a silence it waits 6 seconds at most.
   *
   * A prompt that became `Detached` may never have arrived. Where the agent tells its history, that is found out now:
   * it fails with `NotDelivered`, and the prompt is no longer in the state. It can be sent again then.
   */
  readonly awaitIdle: <BusyError, R>(
    busy: Effect.Effect<boolean, BusyError, R>
  ) => Effect.Effect<void, BusyError | AcpError | NotDelivered, R>
  /** Hands an answer to the channel; the first one counts, and one that does not fit leaves the request open. */
  readonly answerPermission: (
    requestId: string,
    answer: Permission.Answer
  ) => Effect.Effect<void, AlreadyAnswered | InvalidChoice>
  /** What the agent said about itself, after the latest `initialize`. */
  readonly agent: Effect.Effect<Wire.InitializeResponse, AcpError>
}

/** Opens a task's session over its channel (spec 4.13): connects, initializes, loads. */
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
    Session.open(transport, options, runtime).pipe(
      Effect.map(({ during, ...session }): AcpSession<E> => ({ ...session, turn: turnOf(session.prompt, during) })),
      Effect.withSpan("AcpSession.make")
    )
  )

/** The events while a prompt's turn runs, then its end. */
const turnOf =
  <Event, Content, Failure>(
    prompt: (content: Content) => Effect.Effect<TurnEnd, Failure>,
    during: (effect: Effect.Effect<void>) => Stream.Stream<Event>
  ) =>
  (content: Content) =>
    Stream.unwrap(
      Effect.map(Deferred.make<TurnEnd, Failure>(), (ended) =>
        Stream.concat(
          during(Effect.asVoid(Effect.intoDeferred(prompt(content), ended))),
          Stream.fromEffect(Effect.map(Deferred.await(ended), (end) => ({ _tag: "Ended", end }) as const))
        )
      )
    )
