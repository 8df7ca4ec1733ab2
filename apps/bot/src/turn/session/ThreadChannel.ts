import type { AcpError } from "@heddle/acp/AcpError"
import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { OfferReader } from "./OfferReader.ts"

/** The channel of a thread's task. A turn opens it, and the next turn goes on with it while it is kept. */
export interface ThreadChannel {
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
  /** Why the session is over, once it is. */
  closedBy: AcpError | undefined
  /** Told of that by the attempt that uses it. */
  onClosed: ((error: AcpError) => void) | undefined
}

export const make = (): ThreadChannel => ({ current: undefined })

/** Opens a channel, which is the current one until it closes. It closes with the present scope unless it is kept. */
export const open = Effect.fnUntraced(function* <E, R>(
  holder: ThreadChannel,
  ownerScope: Scope.Scope,
  connect: Effect.Effect<Pick<OpenChannel, "acp" | "ticket" | "offerReader" | "openId">, E, R>
) {
  const scope = yield* Scope.fork(ownerScope, ExecutionStrategy.sequential)
  const opened: { channel?: OpenChannel } = {}
  yield* Effect.addFinalizer(() => (opened.channel?.isKept === true ? Effect.void : Scope.close(scope, Exit.void)))
  const connected = yield* Scope.extend(connect, scope)
  const channel: OpenChannel = { ...connected, scope, isKept: false, closedBy: undefined, onClosed: undefined }
  opened.channel = holder.current = channel
  const leave = Effect.sync(() => void (holder.current === channel && (holder.current = undefined)))
  yield* Scope.addFinalizer(scope, leave)
  yield* Effect.forkIn(
    Effect.catchAll(channel.acp.closed, (error) =>
      Effect.zipRight(
        leave,
        Effect.sync(() => {
          channel.closedBy = error
          channel.onClosed?.(error)
        })
      )
    ),
    scope
  )
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

/** Closes the current channel. No turn takes it over any more. */
export const close = (holder: ThreadChannel) =>
  Effect.suspend(() => (holder.current === undefined ? Effect.void : end(holder, holder.current)))

/** Closes a channel, and no other that is the current one by now. */
export const end = (holder: ThreadChannel, channel: OpenChannel) =>
  Effect.suspend(() => {
    if (holder.current === channel) holder.current = undefined
    return Scope.close(channel.scope, Exit.void)
  })
