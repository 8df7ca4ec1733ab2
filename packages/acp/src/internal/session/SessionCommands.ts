import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type { AcpError } from "../../AcpError.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import type { Options } from "../../SessionOptions.ts"
import type { TurnEnd } from "../../TurnEnd.ts"
import type { Transport } from "../../Transport.ts"
import * as Retries from "../Retries.ts"
import * as Attachment from "./Attachment.ts"
import type { Broadcast } from "./Broadcast.ts"
import type { PendingRequests } from "./PendingRequests.ts"
import type { PromptRecord } from "./PromptEvidence.ts"
import * as PromptResult from "./PromptResult.ts"
import type { CancelMessage, Command, Event, Prompt, PromptError, Timer } from "./SessionLife.ts"

/** What the commands of one session work on. */
export interface Context<E> extends Attachment.Context<E> {
  readonly broadcast: Broadcast<SessionEvent<E>>
  readonly transport: Pick<Transport, "reconnect">
  readonly requests: PendingRequests
  readonly callers: Callers
  /** The attachment to the present connection, while it runs. */
  attaching: Fiber.RuntimeFiber<void> | undefined
  dispatch(event: Event): void
  /** Runs in the background until the session is closed. */
  fork<A>(effect: Effect.Effect<A>): Fiber.RuntimeFiber<A>
}

/** Who waits for the end of a turn, or for a cancellation, by id; and what was prompted. */
export interface Callers {
  readonly prompts: Map<number, Deferred.Deferred<TurnEnd, PromptError>>
  readonly cancels: Map<number, Deferred.Deferred<void, AcpError>>
  readonly promptRecords: Map<number, PromptRecord>
}

/** Starts a command of the session machine, and does not wait for it. */
export const perform = <E>(context: Context<E>, command: Command): void => {
  const { broadcast, requests, state } = context
  switch (command._tag) {
    case "Attach":
      return attach(context, command.connection)
    case "ReplaceConnection":
      return context.transport.reconnect(command.reason)
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
      return void context.fork(sendPrompt(context, command.prompt))
    case "EndTurn":
      if (state.get().running) state.set({ running: false })
      return endTurn(context, command.turn.id, command.end)
    case "RemovePrompt":
      return removePrompt(context, command.id)
    case "SendCancel":
      return void context.fork(sendCancel(context, command.id))
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
    case "StartTimer":
      return startTimer(context, command.timer)
  }
}

const attach = <E>(context: Context<E>, connection: number): void => {
  context.attaching?.unsafeInterruptAsFork(FiberId.none)
  const attaching = Effect.match(Attachment.attach(context, connection), {
    onSuccess: (attached) => context.dispatch({ _tag: "Attached", connection, ...attached }),
    onFailure: (error) => context.dispatch({ _tag: "AttachFailed", connection, error })
  })
  const fiber = (context.attaching = context.fork(attaching))
  // A fiber that has ended still holds what it ran with.
  fiber.addObserver(() => {
    if (context.attaching === fiber) context.attaching = undefined
  })
}

const startTimer = <E>(context: Context<E>, timer: Timer): void => {
  const end = Effect.sync(() => context.dispatch(timer))
  context.fork(Effect.delay(end, durations(context.options)[timer._tag]))
}

const durations = <E>(options: Options<E>): Record<Timer["_tag"], Duration.DurationInput> => ({
  ReadyTimeout: options.readyTimeout ?? "30 seconds",
  CancelDeadline: options.cancelDeadline ?? "5 seconds",
  CancelRetry: Retries.cancelPause,
  RepeatWindow: Retries.repeatWindow
})

const sendPrompt = <E>(context: Context<E>, { content, id }: Prompt) =>
  Effect.suspend(() => {
    const { callers, connection, router, state } = context
    callers.promptRecords.set(id, state.addPrompt(content))
    state.set({ running: true })
    const prompt = content.map((block) => (block.type === "unknown" ? block.raw : block))
    return connection.request(
      "session/prompt",
      { sessionId: router.sessionId ?? "", prompt },
      {
        onInterrupt: "abandon",
        sendingTimeout,
        isWanted: () => {
          const { turn } = context.life()
          return turn?.id === id && turn.cancellation === "None"
        },
        onReply: (reply) => context.dispatch({ _tag: "PromptAnswered", id, end: PromptResult.fromReply(reply) }),
        onLost: (error) => context.dispatch({ _tag: "PromptLost", id, error })
      }
    )
  }).pipe(Effect.ignore)

/** Some servers hold the response to a prompt until its turn is over: such a turn is followed from then on. */
const sendingTimeout = "3 minutes"

const endTurn = <E>(context: Context<E>, id: number, end: Exit.Exit<TurnEnd, PromptError>) => {
  const { callers } = context
  const doubtedId = context.life().doubt?.id
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

const sendCancel = <E>(context: Context<E>, id: number): Effect.Effect<void> => {
  const isWanted = () => context.life().cancels.some((message) => message.id === id && !message.overdue)
  return Effect.match(
    context.connection.notify("session/cancel", { sessionId: context.router.sessionId ?? "" }, isWanted),
    {
      onSuccess: () => context.dispatch({ _tag: "CancelSent", id }),
      onFailure: (error) => context.dispatch({ _tag: "CancelFailed", id, error })
    }
  )
}

const settleCancel = <E>(context: Context<E>, message: CancelMessage, error: AcpError | undefined) => {
  const { callers } = context
  const caller = callers.cancels.get(message.id)
  callers.cancels.delete(message.id)
  if (caller !== undefined) Deferred.unsafeDone(caller, error === undefined ? Exit.void : Exit.fail(error))
  else if (error !== undefined) {
    context.fork(Effect.logWarning("The agent may not know that its turn is cancelled", error.message))
  }
}
