import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { type AcpError, DeliveryUnknown, NotDelivered } from "../../AcpError.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { CancelResult, TurnEnd } from "../../TurnEnd.ts"
import type { Connection } from "../../Connection.ts"
import type { EventLoop } from "./EventLoop.ts"
import type { Callers } from "./SessionCommands.ts"
import type { SessionStateRef } from "./SessionStateRef.ts"
import type { Command, Event, PromptError, State, Turn } from "./SessionLife.ts"

/** Finds out whether a prompt in doubt was delivered; its effects run while the agent is idle. */
export interface DeliveryCheck {
  /** Notes that the history of a connection that is opened from now on is complete. */
  readonly agentIdle: Effect.Effect<void>
  /** Waits for such a history; a new connection loads it if none did. */
  readonly result: Effect.Effect<void, AcpError | NotDelivered | DeliveryUnknown>
}

/** What the calls need of their session. */
export interface Context {
  readonly callers: Callers
  readonly connection: Connection
  readonly loop: EventLoop<State, Event, Command>
  readonly router: { readonly sessionId: string | undefined; readonly received: number }
  readonly state: SessionStateRef
}

/** What callers do with a session, as events of its machine. */
export class SessionCalls {
  readonly context: Context
  #lastId = 0

  constructor(context: Context) {
    this.context = context
  }

  prompt(content: ReadonlyArray<Wire.ContentBlock>): Effect.Effect<TurnEnd, PromptError> {
    const { callers, loop } = this.context
    return Effect.uninterruptibleMask<TurnEnd, PromptError, never>((restore) => {
      const id = ++this.#lastId
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
  }

  cancel(): Effect.Effect<CancelResult, AcpError> {
    const { callers, loop } = this.context
    return Effect.suspend(() => {
      const id = ++this.#lastId
      const { turn } = loop.state
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
  }

  /** Waits until the session is usable. */
  ready(): Effect.Effect<Wire.InitializeResponse, AcpError> {
    return this.context.loop.until(({ channel }) => {
      if (channel._tag === "Ready") return Effect.succeed(channel.agent)
      return channel._tag === "Closed" ? Effect.fail(channel.error) : undefined
    })
  }

  /** How much the agent has said; the history of a new connection is news, too. */
  received(): number {
    return this.context.router.received + this.context.loop.state.readies
  }

  closed(): Effect.Effect<never, AcpError> {
    return this.context.loop.until(({ channel }) =>
      channel._tag === "Closed" ? Effect.fail(channel.error) : undefined
    )
  }

  /**
   * Waits until no `session/cancel` is on its way, each until its deadline: it could stop the turn of another session.
   */
  cancelsSettled(): Effect.Effect<void> {
    return this.context.loop.until(({ cancels }) => (cancels.every(({ overdue }) => overdue) ? Effect.void : undefined))
  }

  /** Begins to find out whether the prompt in doubt was delivered. */
  deliveryCheck(): DeliveryCheck {
    const { loop } = this.context
    const { doubt } = loop.state
    const ready = this.ready()
    return {
      agentIdle: Effect.sync(() => loop.dispatch({ _tag: "AgentIdle" })),
      result: Effect.gen(function* () {
        loop.dispatch({ _tag: "HistoryRequested" })
        yield* ready
        if (doubt === undefined) return
        const { content, id } = doubt
        const { undelivered, unproven } = loop.state
        if (undelivered === id) return yield* new NotDelivered({ content })
        if (unproven === id) return yield* new DeliveryUnknown({ content })
      })
    }
  }
}

const resultOf = (cancellation: Turn["cancellation"]): CancelResult => {
  if (cancellation === "Confirmed") return "cancelled"
  return cancellation === "TooLate" ? "ended" : "unconfirmed"
}
