import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type AcpError, Detached, TurnInProgress, UnsupportedContent } from "../AcpError.ts"
import type { TurnEnd } from "../AcpSession.ts"
import type { Connection } from "../Connection.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as Wire from "../schema/generated/AcpSchema.ts"
import * as Open from "../schema/Open.ts"
import type { SessionFold } from "../SessionFold.ts"

/** What turns need of their session. */
export interface Options {
  readonly sessionId: () => string
  readonly connection: Effect.Effect<Connection>
  readonly ready: Effect.Effect<Wire.InitializeResponse, AcpError>
  readonly cancelDeadline: Duration.DurationInput
  readonly fold: () => SessionFold
  readonly changed: (name: string) => void
  readonly set: (fields: { readonly running: boolean }) => void
  /** The agent says that a turn is over. */
  readonly over: () => void
}

/** Runs one turn at a time. */
export const make = ({ sessionId, connection, ready, cancelDeadline, fold, changed, over, set }: Options) => {
  let running: Turn | undefined

  const finish = (turn: Turn) => {
    Deferred.unsafeDone(turn.ended, Effect.void)
    if (running !== turn) return
    running = undefined
    set({ running: false })
  }

  const run = (turn: Turn, content: ReadonlyArray<Wire.ContentBlock>) =>
    Effect.gen(function* () {
      const agent = yield* ready
      const refused = content.find((block) => !accepts(agent, block))
      if (refused !== undefined) return yield* new UnsupportedContent({ type: refused.type })
      const key = fold().prompt(content)
      changed(key)
      set({ running: true })
      turn.sent = true
      const { request } = yield* connection
      return yield* request(
        "session/prompt",
        { sessionId: sessionId(), prompt: content.map((block) => (block.type === "unknown" ? block.raw : block)) },
        {
          onInterrupt: "abandon",
          onReply: (reply) => {
            finish(turn)
            if (!JsonRpc.isFailure(reply)) over()
          },
          onLost: () => finish(turn)
        }
      ).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            const refused = error._tag === "ChannelRefused"
            if (!refused && (error._tag !== "ConnectionLost" || error.sent)) return
            fold().unprompt(key)
            changed(key)
          })
        ),
        Effect.mapError((error) =>
          error._tag === "ConnectionLost" && error.sent ? new Detached({ description: detachedText }) : error
        ),
        Effect.map(readEnd)
      )
    })

  const prompt = Effect.fn("AcpSession.prompt")(function* (
    content: ReadonlyArray<Wire.ContentBlock>
  ): Effect.fn.Return<TurnEnd, AcpError | Detached | TurnInProgress | UnsupportedContent> {
    if (running !== undefined) return yield* new TurnInProgress()
    const turn: Turn = {
      sent: false,
      cancelled: false,
      ended: yield* Deferred.make<void>(),
      given: yield* Deferred.make<TurnEnd>()
    }
    running = turn
    const { stopReason, usage } = yield* Effect.raceFirst(run(turn, content), Deferred.await(turn.given)).pipe(
      Effect.tapErrorCause(() => Effect.sync(() => finish(turn))),
      Effect.onInterrupt(() => Effect.sync(() => !turn.sent && finish(turn)))
    )
    finish(turn)
    return {
      // Some agents end a cancelled turn as if it had been finished.
      stopReason: turn.cancelled ? "cancelled" : stopReason,
      ...(usage === undefined ? {} : { usage })
    }
  })

  const cancel = (answerPermissions: () => void) =>
    Effect.gen(function* () {
      const turn = running
      if (turn !== undefined) turn.cancelled = true
      answerPermissions()
      for (const key of fold().cancelUnfinished()) changed(key)
      if (turn?.sent === false) return yield* Deferred.succeed(turn.given, { stopReason: "cancelled" })
      yield* (yield* connection).notify("session/cancel", { sessionId: sessionId() })
      if (turn === undefined) return
      yield* Deferred.await(turn.ended).pipe(
        Effect.timeoutTo({
          duration: cancelDeadline,
          onSuccess: () => undefined,
          onTimeout: () => {
            Deferred.unsafeDone(turn.given, Effect.succeed({ stopReason: "cancelled" }))
            finish(turn)
          }
        })
      )
    }).pipe(Effect.asVoid, Effect.withSpan("AcpSession.cancel"))

  return { prompt, cancel, cancelling: () => running?.cancelled === true }
}

interface Turn {
  sent: boolean
  cancelled: boolean
  readonly ended: Deferred.Deferred<void>
  readonly given: Deferred.Deferred<TurnEnd>
}

// A turn is over whatever its answer looks like.
const readEnd = (result: unknown): TurnEnd => {
  const { stopReason, usage } = Option.getOrElse(decodeEnd(result), () => ({ stopReason: undefined, usage: undefined }))
  return { stopReason: stopReason ?? "unknown", ...(usage === undefined || usage === null ? {} : { usage }) }
}

const decodeEnd = Schema.decodeUnknownOption(
  Schema.Struct({ stopReason: Open.lenient(Wire.StopReason), usage: Open.lenient(Schema.NullOr(Wire.Usage)) })
)

const detachedText =
  "The connection broke while the agent was working. The message was not sent again; the agent may still be working on it."

const accepts = (agent: Wire.InitializeResponse, block: Wire.ContentBlock): boolean => {
  const offered = agent.agentCapabilities?.promptCapabilities
  switch (block.type) {
    case "image":
      return offered?.image === true
    case "audio":
      return offered?.audio === true
    case "resource":
      return offered?.embeddedContext === true
    default:
      return true
  }
}
