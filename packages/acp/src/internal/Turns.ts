import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { type AcpError, ConnectionLost, Detached, NotDelivered, UnsupportedContent } from "../AcpError.ts"
import type { TurnEnd } from "../AcpSession.ts"
import type { Connection } from "../Connection.ts"
import * as JsonRpc from "../JsonRpc.ts"
import { reader } from "./Reader.ts"
import * as Wire from "../schema/generated/AcpSchema.ts"
import * as Open from "../schema/Open.ts"
import type { SessionFold } from "../SessionFold.ts"
import type { SessionState } from "../SessionState.ts"

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
  /** Runs something on its own, also beyond the end of the session. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
}

/** Runs one turn at a time: a prompt waits for those before it. */
export const make = ({ sessionId, connection, ready, cancelDeadline, fold, changed, over, set, fork }: Options) => {
  let running: Turn | undefined
  /** The prompt whose connection broke, until it is known whether it arrived. */
  let doubtful: Doubtful | undefined
  /** Cancellations under way: they name no turn, so the next one does not begin before they have arrived or are given up. */
  const telling = new Set<Telling>()
  const place = Effect.unsafeMakeSemaphore(1)

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
      const before = fold().state()
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
            turn.replied = true
            finish(turn)
            if (!JsonRpc.isFailure(reply)) over()
          },
          onLost: () => finish(turn)
        }
      ).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (error._tag === "ConnectionLost" && error.sent) doubtful = { key, content, before }
            if (error._tag !== "ChannelRefused" && (error._tag !== "ConnectionLost" || error.sent)) return
            fold().remove(key)
            changed(key)
          })
        ),
        Effect.mapError((error) =>
          error._tag === "ConnectionLost" && error.sent ? new Detached({ description: detachedText }) : error
        ),
        Effect.map(readEnd)
      )
    })

  /** Waits until no turn runs, in the order of the calls, and takes the place. */
  const begin = place.withPermits(1)(
    Effect.gen(function* () {
      const before = () => {
        const [told] = telling
        if (running !== undefined) return Deferred.await(running.ended)
        return told === undefined ? undefined : Fiber.await(told.fiber)
      }
      for (let other = before(); other !== undefined; other = before()) yield* other
      const turn: Turn = {
        sent: false,
        replied: false,
        cancelled: false,
        ended: yield* Deferred.make<void>(),
        given: yield* Deferred.make<TurnEnd, RunError>()
      }
      return yield* Effect.sync(() => (running = turn))
    })
  )

  const prompt = Effect.fn("AcpSession.prompt")(function* (
    content: ReadonlyArray<Wire.ContentBlock>
  ): Effect.fn.Return<TurnEnd, AcpError | Detached | UnsupportedContent> {
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(begin), (turn) =>
        restore(take(turn, content)).pipe(
          Effect.onExit((exit) => Effect.sync(() => (Exit.isInterrupted(exit) && turn.sent ? undefined : finish(turn))))
        )
      )
    )
  })

  const take = Effect.fnUntraced(function* (turn: Turn, content: ReadonlyArray<Wire.ContentBlock>) {
    const { stopReason, usage } = yield* untilGiven(run(turn, content), turn.given)
    return {
      // Some agents end a cancelled turn as if it had been finished.
      stopReason: turn.cancelled ? "cancelled" : stopReason,
      ...(usage === undefined ? {} : { usage })
    } satisfies TurnEnd
  })

  /**
   * Tells the agent to stop, again and again until the message is taken or `unneeded` comes. What is on its way is
   * waited for: given up, it could still arrive, and stop a later turn.
   */
  const tellCancel = (unneeded: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const able = Effect.as(ready, true).pipe(
        Effect.timeoutFail({
          duration: cancelDeadline,
          onTimeout: () => new ConnectionLost({ description: "The agent could not be told to stop", sent: false })
        })
      )
      if (yield* Effect.raceFirst(Effect.as(unneeded, false), able))
        yield* (yield* connection).notify("session/cancel", { sessionId: sessionId() })
    }).pipe(
      Effect.retry({
        schedule: Schedule.upTo(tellAgain, cancelDeadline),
        while: (error) => error._tag === "ConnectionLost"
      })
    )

  /** Does so on its own: what becomes of the message does not hang on who waits for it. */
  const tell = (unneeded: Effect.Effect<void>) =>
    Effect.map(Clock.currentTimeMillis, (since) => {
      const told: Telling = {
        until: since + Duration.toMillis(cancelDeadline),
        fiber: fork(tellCancel(unneeded))
      }
      telling.add(told)
      told.fiber.addObserver(() => telling.delete(told))
      return told.fiber
    })

  const cancel = (answerPermissions: () => void) =>
    Effect.gen(function* () {
      const turn = running
      if (turn !== undefined) turn.cancelled = true
      answerPermissions()
      // Nobody is told of it, so what goes on elsewhere is not cancelled by it.
      if (turn?.sent === false) return yield* Deferred.succeed(turn.given, { stopReason: "cancelled" })
      for (const key of fold().cancelUnfinished()) changed(key)
      if (turn === undefined) return yield* Effect.flatMap(tell(Effect.never), Fiber.join)
      const replied = Effect.andThen(Deferred.await(turn.ended), () => (turn.replied ? Effect.void : Effect.never))
      // The deadline runs from now on whatever becomes of the message, which is wanted even when the connection is lost
      // under it.
      const told = yield* tell(replied)
      fork(
        Effect.catchAll(Fiber.join(told), (error) =>
          Effect.logWarning("The agent may not know that its turn is cancelled", error.message)
        )
      )
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

  return {
    prompt,
    cancel,
    /**
     * Waits for the cancellations that are under way, for as long as each has: the next turn may be one of another
     * session. An agent that acts on one after its server has taken it is beyond knowing.
     */
    settled: Effect.suspend(() =>
      Effect.forEach(
        telling,
        ({ fiber, until }) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.interruptible(Fiber.await(fiber)).pipe(
              Effect.timeoutOption(Math.max(0, until - now)),
              Effect.zipRight(Fiber.interruptFork(fiber))
            )
          ),
        { concurrency: "unbounded", discard: true }
      )
    ),
    cancelling: () => running?.cancelled === true,
    /** Whether a prompt was sent of which nobody knows whether it arrived. */
    inDoubt: () => doubtful !== undefined,
    /**
     * Compares the session's history with the one before the prompt in doubt; `whole` says that no turn runs, so that
     * the history lacks nothing. The prompt is lost if the history is exactly what it was, or what came to it are the
     * words of others.
     */
    replayed: (history: SessionState, whole: boolean): NotDelivered | undefined => {
      const prompt = doubtful
      if (prompt === undefined) return undefined
      const theirs = othersSpoke(prompt, history)
      const lacking = theirs || (prompted(history) === prompted(prompt.before) && !answered(fold().state(), prompt.key))
      if (lacking && !whole) return undefined
      doubtful = undefined
      if (!lacking) return undefined
      // A message of others may have taken its place, and with that its key.
      const entry = fold()
        .state()
        .entries.find(({ key }) => key === prompt.key)
      if (!theirs || (entry?._tag === "Message" && plain(entry.content) === plain(prompt.content))) {
        fold().remove(prompt.key)
        changed(prompt.key)
      }
      return new NotDelivered({ content: prompt.content })
    }
  }
}

/** A cancellation under way. */
interface Telling {
  readonly fiber: Fiber.RuntimeFiber<void, AcpError>
  /** Its deadline in epoch milliseconds. */
  readonly until: number
}

interface Doubtful {
  readonly key: string
  readonly content: ReadonlyArray<Wire.ContentBlock>
  readonly before: SessionState
}

/** What was said to the agent, wherever one message ends and the next begins. */
const prompted = ({ entries }: SessionState): string =>
  JSON.stringify(
    entries
      .flatMap((entry) => (entry._tag === "Message" && entry.role === "user" ? entry.content : []))
      .reduce<Array<unknown>>((all, block) => {
        const last = all.at(-1)
        if (block.type !== "text") all.push(block)
        else if (typeof last === "string") all[all.length - 1] = last + block.text
        else all.push(block.text)
        return all
      }, [])
  )

/** Whether what was said to the agent since goes on from what it was, and has nothing of the prompt's words. */
const othersSpoke = ({ before, content }: Doubtful, history: SessionState): boolean => {
  const [own, was, is] = [plain(content), wordsIn(before), wordsIn(history)]
  const since = is.startsWith(was) ? plain([{ type: "text", text: is.slice(was.length) }]) : ""
  return own !== "" && since !== "" && !since.includes(own)
}

const wordsIn = ({ entries }: SessionState): string =>
  entries.map((entry) => (entry._tag === "Message" && entry.role === "user" ? entry.text : "")).join("")

/** Words however they are laid out. */
const plain = (content: ReadonlyArray<Wire.ContentBlock>): string =>
  content
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("")
    .replace(/\s+/g, " ")
    .trim()

const answered = ({ entries }: SessionState, key: string): boolean => {
  const place = entries.findIndex((entry) => entry.key === key)
  return (
    place < 0 ||
    entries
      .slice(place + 1)
      .some((entry) => entry._tag === "ToolCall" || (entry._tag === "Message" && entry.role !== "user"))
  )
}

interface Turn {
  sent: boolean
  /** The agent itself has said that it is over. */
  replied: boolean
  cancelled: boolean
  readonly ended: Deferred.Deferred<void>
  /** How it ended: as the agent says, or as it is decided before that. */
  readonly given: Deferred.Deferred<TurnEnd, RunError>
}

type RunError = AcpError | Detached | UnsupportedContent

/** Runs a turn until its end is given; one fiber, where a race takes two, for as long as the agent works. */
const untilGiven = (run: Effect.Effect<TurnEnd, RunError>, given: Turn["given"]) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.fork(restore(Effect.intoDeferred(run, given))), (fiber) =>
      Effect.ensuring(restore(Deferred.await(given)), Fiber.interrupt(fiber))
    )
  )

// A turn is over whatever its answer looks like.
const readEnd = (result: unknown): TurnEnd => {
  const { stopReason, usage } = Option.getOrElse(decodeEnd(result), () => ({ stopReason: undefined, usage: undefined }))
  return { stopReason: stopReason ?? "unknown", ...(usage === undefined || usage === null ? {} : { usage }) }
}

const decodeEnd = reader(
  Schema.Struct({ stopReason: Open.lenient(Wire.StopReason), usage: Open.lenient(Schema.NullOr(Wire.Usage)) })
)

const detachedText =
  "The connection broke while the agent was working. The message was not sent again; the agent may still be working on it."

const tellAgain = Schedule.spaced("250 millis")

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
