import type * as AcpSession from "@heddle/acp/AcpSession"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** The open session of a thread's task, during a turn and while late output is awaited. */
export interface AgentSession {
  current: AcpSession.AcpSession | undefined
}

export const make = (): AgentSession => ({ current: undefined })

/** Makes a session the current one until its channel closes. */
export const attach = (holder: AgentSession, session: AcpSession.AcpSession, channel: Scope.Scope) =>
  Effect.zipRight(
    Effect.sync(() => void (holder.current = session)),
    Scope.addFinalizer(
      channel,
      Effect.sync(() => {
        if (holder.current === session) holder.current = undefined
      })
    )
  )
