import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { OfferReader } from "./OfferReader.ts"

/** The open channel of a thread's task, during a turn and while late output is awaited. */
export interface AgentSession {
  current: OpenChannel | undefined
}

/** A channel and what reads it. */
export interface OpenChannel {
  readonly acp: AcpSession.AcpSession
  readonly ticket: Ticket.Ticket["Type"]
  readonly offerReader: OfferReader
  /** The account that it was opened with, as far as the service tells. */
  readonly openId: string | undefined
  readonly scope: Scope.CloseableScope
  /** Stays open after the attempt that uses it. */
  isKept: boolean
}

export const make = (): AgentSession => ({ current: undefined })

/** Opens a channel, which is the current one until it closes. It closes with the present scope unless it is kept. */
export const open = Effect.fnUntraced(function* <E, R>(
  holder: AgentSession,
  after: Scope.Scope,
  connect: Effect.Effect<Omit<OpenChannel, "scope" | "isKept">, E, R>
) {
  const scope = yield* Scope.fork(after, ExecutionStrategy.sequential)
  const opened: { channel?: OpenChannel } = {}
  yield* Effect.addFinalizer(() => (opened.channel?.isKept === true ? Effect.void : Scope.close(scope, Exit.void)))
  const channel: OpenChannel = { ...(yield* Scope.extend(connect, scope)), scope, isKept: false }
  opened.channel = holder.current = channel
  const leave = Effect.sync(() => void (holder.current === channel && (holder.current = undefined)))
  yield* Scope.addFinalizer(scope, leave)
  yield* Effect.forkIn(Effect.ensuring(Effect.ignore(channel.acp.closed), leave), scope)
  return channel
})

/** Uses the current channel on; it closes with the present scope unless it is kept again. */
export const takeOver = (channel: OpenChannel) =>
  Effect.as(
    Effect.acquireRelease(
      Effect.sync(() => void (channel.isKept = false)),
      () => (channel.isKept ? Effect.void : Scope.close(channel.scope, Exit.void))
    ),
    channel
  )
