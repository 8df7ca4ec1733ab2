import type * as AcpSession from "@heddle/acp/AcpSession"
import * as CallOptions from "@heddle/core/CallOptions"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Accounts, type Service } from "../access/Accounts.ts"
import type { End } from "../model/Conversation.ts"
import { Turns } from "../store/Turns.ts"
import type { Failure } from "./Failure.ts"
import { mayHavePrompt, type OpenTurn } from "./OpenTurn.ts"
import * as TurnSession from "./session/TurnSession.ts"
import * as TurnEnd from "./TurnEnd.ts"

/** The open session of an attempt. */
export interface AttachedSession {
  readonly service: Service
  readonly session: TurnSession.TurnSession
  /** Closes before the cancellation for an ended account, so that the reply of the agent does not end the turn. */
  readonly scope: Scope.Scope
  /** The end that the row of the turn holds. */
  readonly storedEnd: End | undefined
}

/**
 * Attaches a turn to its task as the owner of the thread, until it is interrupted. It fails when the session or the
 * account has ended, and with what `broken` fails with.
 */
export const run = Effect.fnUntraced(function* (
  turn: OpenTurn,
  failure: Deferred.Deferred<never, Failure>,
  onOpened: (opened: AttachedSession) => void
) {
  const { channelWatch, thread } = turn
  const accounts = yield* Accounts
  const attached: { acp?: AcpSession.AcpSession } = {}
  channelWatch.setDue()
  const onConnected = (acp: AcpSession.AcpSession) => {
    attached.acp = acp
    channelWatch.setIdle()
  }
  const attach = (service: Service) =>
    TurnSession.open(turn, service, onConnected).pipe(
      // A service that responds is at work: a sandbox may take its time to start.
      CallOptions.with({
        onResponse: ({ status }) =>
          Effect.sync(() => (attached.acp !== undefined || status >= 500 ? undefined : channelWatch.progressed()))
      }),
      Effect.flatMap((session) =>
        Effect.scopedWith((scope) =>
          Effect.gen(function* () {
            onOpened({ service, session, scope, storedEnd: (yield* rowOf(turn)).end })
            return yield* Effect.raceFirst(session.closed, Deferred.await(failure))
          })
        )
      )
    )
  // The agent must not continue on an account that its owner disconnected; the channel is still open.
  const cancelAgent = Effect.suspend(() =>
    attached.acp === undefined ? wasNeverSent(turn) : Effect.as(attached.acp.cancel, true)
  ).pipe(
    Effect.timeout("3 seconds"),
    Effect.catchAll((error) =>
      Effect.as(Effect.logInfo("An agent may go on without the account", error.message), false)
    ),
    Effect.tap((isStopped) => (isStopped ? recordStop(turn) : Effect.void))
  )
  return yield* accounts.whileConnected(thread.ownerId, accounts.use(thread.ownerId, attach), cancelAgent)
}, Effect.scoped)

/** The current row of a turn. */
export const rowOf = ({ entry, thread, row }: OpenTurn) =>
  Effect.flatMap(Turns, (turns) => turns.begin(entry.eventId, thread.threadId, row.startedAt))

/** Whether no prompt of the turn can have reached the agent. */
const wasNeverSent = (turn: OpenTurn) => Effect.map(rowOf(turn), (row) => !mayHavePrompt(turn.entry, row))

/** Stores that a turn was stopped with its account, so that it shows this when the account is connected again. */
const recordStop = Effect.fnUntraced(function* (turn: OpenTurn) {
  const row = yield* rowOf(turn)
  if (row.end !== undefined || !mayHavePrompt(turn.entry, row)) return
  yield* (yield* Turns).setEnd(turn.entry.eventId, TurnEnd.done(row, yield* Clock.currentTimeMillis, "cancelled"))
})
