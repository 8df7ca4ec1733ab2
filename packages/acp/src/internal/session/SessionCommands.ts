import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type { AcpError, ConnectionLost } from "../../AcpError.ts"
import type { Connection } from "../../Connection.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import type { TurnEnd } from "../../TurnEnd.ts"
import type { Attachment } from "./Attachment.ts"
import type { Broadcast } from "./Broadcast.ts"
import type { InboundRouter } from "./InboundRouter.ts"
import type { PendingRequests } from "./PendingRequests.ts"
import type { PromptRecord } from "./PromptEvidence.ts"
import * as PromptResult from "./PromptResult.ts"
import type { CancelMessage, Command, Event, Prompt, PromptError, State, Timer } from "./SessionLife.ts"
import type { SessionStateRef } from "./SessionStateRef.ts"

/** What the commands of one session work on. */
export interface Context<E> {
  readonly attachment: Attachment
  readonly broadcast: Broadcast<SessionEvent<E>>
  readonly connection: Effect.Effect<Connection>
  readonly reconnect: (reason: ConnectionLost) => void
  readonly requests: PendingRequests
  readonly router: InboundRouter
  readonly state: SessionStateRef
  readonly callers: Callers
  readonly durationOf: (timer: Timer["_tag"]) => Duration.DurationInput
  readonly life: () => State
  readonly dispatch: (event: Event) => void
  /** Runs in the background until the session is closed. */
  readonly fork: <A, Failure>(effect: Effect.Effect<A, Failure>) => Fiber.RuntimeFiber<A, Failure>
}

/** Who waits for the end of a turn, or for a cancellation, by id; and what was prompted. */
export interface Callers {
  readonly prompts: Map<number, Deferred.Deferred<TurnEnd, PromptError>>
  readonly cancels: Map<number, Deferred.Deferred<void, AcpError>>
  readonly promptRecords: Map<number, PromptRecord>
}

/** Runs the commands of the session machine: each is started, none is waited for. */
export const make = <E>(context: Context<E>): ((command: Command) => void) => {
  const { attachment, broadcast, dispatch, fork, requests, state } = context
  let attaching: Fiber.RuntimeFiber<void> | undefined

  return (command) => {
    switch (command._tag) {
      case "Attach": {
        attaching?.unsafeInterruptAsFork(FiberId.none)
        const fiber = (attaching = fork(attach(attachment, command.connection, dispatch)))
        // A fiber that has ended still holds what it ran with.
        return fiber.addObserver(() => {
          if (attaching === fiber) attaching = undefined
        })
      }
      case "ReplaceConnection":
        return context.reconnect(command.reason)
      case "DropConnection":
        state.dropReplay()
        return requests.connectionLost()
      case "AnnounceReady":
        if (command.reopened) broadcast.event({ _tag: "Ready", repeatsHistory: command.repeats })
        return
      case "AnnounceInterrupted":
        return broadcast.event({ _tag: "Interrupted", error: command.error })
      case "AnnounceClosed":
        // No agent repeats a request any more.
        requests.endRepeatWindow()
        broadcast.event({ _tag: "Closed", error: command.error })
        return broadcast.end()
      case "SendPrompt":
        return void fork(sendPrompt(context, command.prompt))
      case "EndTurn":
        if (state.get().running) state.set({ running: false })
        return endTurn(context, command.turn.id, command.end)
      case "RemovePrompt":
        return removePrompt(context, command.id)
      case "SendCancel":
        return void fork(sendCancel(context, command.id))
      case "SettleCancel":
        return settleCancel(context, command.message, command.error)
      case "CancelRequests":
        return requests.cancelAll()
      case "CancelToolCalls":
        return state.cancelToolCalls()
      case "WithdrawRequests":
        return requests.turnEnded()
      case "EndRepeatWindow":
        return requests.endRepeatWindow()
      case "StartTimer": {
        const { timer } = command
        fork(
          Effect.delay(
            Effect.sync(() => dispatch(timer)),
            context.durationOf(timer._tag)
          )
        )
      }
    }
  }
}

const attach = (attachment: Attachment, connection: number, dispatch: (event: Event) => void): Effect.Effect<void> =>
  Effect.match(attachment.attach(connection), {
    onSuccess: (attached) => dispatch({ _tag: "Attached", connection, ...attached }),
    onFailure: (error) => dispatch({ _tag: "AttachFailed", connection, error })
  })

const sendPrompt = <E>({ callers, connection, dispatch, life, router, state }: Context<E>, { content, id }: Prompt) =>
  Effect.flatMap(connection, ({ request }) => {
    callers.promptRecords.set(id, state.addPrompt(content))
    state.set({ running: true })
    const prompt = content.map((block) => (block.type === "unknown" ? block.raw : block))
    return request(
      "session/prompt",
      { sessionId: router.sessionId() ?? "", prompt },
      {
        onInterrupt: "abandon",
        sendingTimeout,
        isWanted: () => {
          const { turn } = life()
          return turn?.id === id && turn.cancellation === "None"
        },
        onReply: (reply) => dispatch({ _tag: "PromptAnswered", id, end: PromptResult.fromReply(reply) }),
        onLost: (error) => dispatch({ _tag: "PromptLost", id, error })
      }
    )
  }).pipe(Effect.ignore)

/** Some servers hold the response to a prompt until its turn is over: such a turn is followed from then on. */
const sendingTimeout = "3 minutes"

const endTurn = <E>({ callers, life }: Context<E>, id: number, end: Exit.Exit<TurnEnd, PromptError>) => {
  const doubtedId = life().doubt?.id
  for (const each of callers.promptRecords.keys()) if (each !== doubtedId) callers.promptRecords.delete(each)
  const caller = callers.prompts.get(id)
  callers.prompts.delete(id)
  if (caller !== undefined) Deferred.unsafeDone(caller, end)
}

const removePrompt = <E>({ callers, state }: Context<E>, id: number) => {
  const record = callers.promptRecords.get(id)
  callers.promptRecords.delete(id)
  if (record !== undefined) state.removePrompt(record)
}

const sendCancel = <E>({ connection, dispatch, life, router }: Context<E>, id: number): Effect.Effect<void> =>
  Effect.flatMap(connection, ({ notify }) =>
    notify("session/cancel", { sessionId: router.sessionId() ?? "" }, () =>
      life().cancels.some((message) => message.id === id && !message.overdue)
    )
  ).pipe(
    Effect.match({
      onSuccess: () => dispatch({ _tag: "CancelSent", id }),
      onFailure: (error) => dispatch({ _tag: "CancelFailed", id, error })
    })
  )

const settleCancel = <E>({ callers, fork }: Context<E>, message: CancelMessage, error: AcpError | undefined) => {
  const caller = callers.cancels.get(message.id)
  callers.cancels.delete(message.id)
  if (caller !== undefined) Deferred.unsafeDone(caller, error === undefined ? Exit.void : Exit.fail(error))
  else if (error !== undefined) {
    fork(Effect.logWarning("The agent may not know that its turn is cancelled", error.message))
  }
}
