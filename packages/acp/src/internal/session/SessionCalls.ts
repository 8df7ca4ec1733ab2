import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { type AcpError, DeliveryUnknown, NotDelivered } from "../../AcpError.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { CancelResult, TurnEnd } from "../../TurnEnd.ts"
import type { EventLoop } from "./EventLoop.ts"
import type { Callers } from "./SessionCommands.ts"
import type { Event, PromptError, State, Turn } from "./SessionLife.ts"

/** What callers do with a session, as events of its machine. */
export interface SessionCalls {
  readonly prompt: (content: ReadonlyArray<Wire.ContentBlock>) => Effect.Effect<TurnEnd, PromptError>
  readonly cancel: Effect.Effect<CancelResult, AcpError>
  readonly ready: Effect.Effect<Wire.InitializeResponse, AcpError>
  readonly closed: Effect.Effect<never, AcpError>
  /**
   * Waits until no `session/cancel` is on its way, each until its deadline: it could stop the turn of another session.
   */
  readonly cancelsSettled: Effect.Effect<void>
  /** Begins to find out whether the prompt in doubt was delivered. */
  readonly deliveryCheck: () => DeliveryCheck
}

/** Finds out whether a prompt in doubt was delivered; its effects run while the agent is idle. */
export interface DeliveryCheck {
  /** Notes that the history of a connection that is opened from now on is complete. */
  readonly agentIdle: Effect.Effect<void>
  /** Waits for such a history; a new connection loads it if none did. */
  readonly result: Effect.Effect<void, AcpError | NotDelivered | DeliveryUnknown>
}

/** Makes the calls of one session. */
export const make = (loop: EventLoop<State, Event>, callers: Callers): SessionCalls => {
  let lastId = 0

  const prompt = (content: ReadonlyArray<Wire.ContentBlock>) =>
    Effect.uninterruptibleMask<TurnEnd, PromptError, never>((restore) => {
      const id = ++lastId
      const ended = Deferred.unsafeMake<TurnEnd, PromptError>(FiberId.none)
      callers.prompts.set(id, ended)
      loop.dispatch({ _tag: "PromptRequested", prompt: { id, content } })
      return Effect.onInterrupt(restore(Deferred.await(ended)), () =>
        Effect.sync(() => {
          callers.prompts.delete(id)
          loop.dispatch({ _tag: "PromptAbandoned", id })
        })
      )
    }).pipe(Effect.withSpan("AcpSession.prompt"))

  const cancel = Effect.suspend(() => {
    const id = ++lastId
    const { turn } = loop.state()
    if (turn !== undefined) {
      loop.dispatch({ _tag: "CancelRequested", id })
      return loop.until(({ lastTurn, turn: running }) =>
        running?.id === turn.id
          ? undefined
          : Effect.succeed(resultOf(lastTurn?.id === turn.id ? lastTurn.cancellation : "Unconfirmed"))
      )
    }
    const settled = Deferred.unsafeMake<void, AcpError>(FiberId.none)
    callers.cancels.set(id, settled)
    loop.dispatch({ _tag: "CancelRequested", id })
    return Effect.as(Deferred.await(settled), resultOf("Unconfirmed"))
  }).pipe(Effect.withSpan("AcpSession.cancel"))

  const ready = loop.until(({ channel }) => {
    if (channel._tag === "Ready") return Effect.succeed(channel.agent)
    return channel._tag === "Closed" ? Effect.fail(channel.error) : undefined
  })

  const deliveryCheck = (): DeliveryCheck => {
    const { doubt } = loop.state()
    return {
      agentIdle: Effect.sync(() => loop.dispatch({ _tag: "AgentIdle" })),
      result: Effect.gen(function* () {
        loop.dispatch({ _tag: "HistoryRequested" })
        yield* ready
        if (doubt === undefined) return
        const { content, id } = doubt
        const { undelivered, unproven } = loop.state()
        if (undelivered === id) return yield* new NotDelivered({ content })
        if (unproven === id) return yield* new DeliveryUnknown({ content })
      })
    }
  }

  return {
    prompt,
    cancel,
    ready,
    closed: loop.until(({ channel }) => (channel._tag === "Closed" ? Effect.fail(channel.error) : undefined)),
    cancelsSettled: loop.until(({ cancels }) => (cancels.every(({ overdue }) => overdue) ? Effect.void : undefined)),
    deliveryCheck
  }
}

const resultOf = (cancellation: Turn["cancellation"]): CancelResult => {
  if (cancellation === "Confirmed") return "cancelled"
  return cancellation === "TooLate" ? "ended" : "unconfirmed"
}
