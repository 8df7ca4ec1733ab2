import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import type { AgentFailure } from "../agent/AgentFailure.ts"
import * as Metrics from "../../observability/Metrics.ts"
import * as PromptBlocks from "./PromptBlocks.ts"
import * as PromptQueue from "./PromptQueue.ts"
import * as Replies from "./Replies.ts"
import * as RunTurn from "./RunTurn.ts"
import type { Turn, TurnOutcome } from "./SandboxEvent.ts"
import type { SessionContext } from "./SessionContext.ts"
import type { Subscriber } from "../journal/Subscribers.ts"
import * as TurnEnd from "./TurnEnd.ts"

/** The turns of a session: one at a time, in the order of their prompts. */
export interface Turns {
  readonly isRunning: () => boolean
  /** Waits for the decision whether the next turn begins; undefined when none is pending. */
  readonly pendingDecision: () => Effect.Effect<void> | undefined
  /** Begins a turn, or queues it behind the running one; false when the queue is full. */
  readonly prompt: (prompt: Pick<Turn, "blocks" | "meta" | "size" | "requester">) => boolean
  /** Ends the running turn through the agent and drops what is queued. */
  readonly cancel: () => void
  /** Withdraws one connection's prompt: dropped when it waits, cancelled when it runs. */
  readonly withdraw: (subscriber: Subscriber, id: unknown) => void
  /** Ends the running turn with a failure, or tells of it where none runs; the agent is stopped. */
  readonly fail: (failure: AgentFailure) => void
  /** The agent did not end a cancelled turn in time: the turn ends without it, and it is stopped. */
  readonly handleCancelOverdue: (turn: Turn) => void
  /** Begins a turn whose user can pay for it, or tells why it does not begin. */
  readonly handleDecision: (turn: Turn, refusal: string | undefined) => void
  readonly handleEnd: (turn: Turn, outcome: TurnOutcome) => void
  /** Notes output of the agent. */
  readonly noteActivity: () => void
}

/** The effects of turns on other parts of the session. */
export interface Effects {
  /** Cancels the unfinished tasks. */
  readonly stopTasks: () => void
  /** Ends the tool calls that still run. */
  readonly stopToolCalls: (status: "cancelled" | "failed") => void
  readonly waitsForPerson: () => boolean
}

/** The running turn, and the decision whether it begins while that is open. */
interface State {
  currentTurn: Turn | undefined
  decision: Deferred.Deferred<void> | undefined
}

/** Makes the turns of one session. */
export const make = (context: SessionContext, effects: Effects): Turns => {
  const { fork, host } = context
  const queue = PromptQueue.make()
  const state: State = { currentTurn: undefined, decision: undefined }
  const activity: RunTurn.Activity = { lastActivityAt: 0 }

  /** Asks whether a turn may begin; until that is known it counts as the running one. */
  const startDecision = (turn: Turn) => {
    state.currentTurn = turn
    state.decision = Deferred.unsafeMake(FiberId.none)
    fork(decide(context, turn))
  }
  const startNext = () => {
    state.currentTurn = undefined
    const turn = queue.next()
    if (turn !== undefined) startDecision(turn)
  }

  return {
    isRunning: () => state.currentTurn !== undefined,
    pendingDecision: () => state.decision && Deferred.await(state.decision),
    noteActivity: () => {
      activity.lastActivityAt = performance.now()
    },

    prompt: (prompt) => {
      const turn = makeTurn(prompt)
      if (state.currentTurn !== undefined) return queue.add(turn)
      startDecision(turn)
      return true
    },

    cancel: () => {
      for (const turn of queue.clear()) respondCancelled(context, turn)
      if (state.currentTurn === undefined) effects.stopToolCalls("cancelled")
      else cancelRunning(context, state.currentTurn)
    },

    withdraw: (subscriber, id) => {
      const { currentTurn } = state
      const queued = queue.remove(subscriber, id)
      if (queued !== undefined) respond(context, queued, (id) => JsonRpc.failure(id, JsonRpc.RpcError.cancelled()))
      else if (currentTurn !== undefined && PromptQueue.isFrom(currentTurn, subscriber, id))
        cancelRunning(context, currentTurn)
    },

    fail: (error) => {
      const { currentTurn } = state
      if (currentTurn === undefined) context.notice(error.message)
      else Deferred.unsafeDone(currentTurn.abandoned, Effect.succeed({ _tag: "Failed", error }))
      fork(host.stop)
    },

    handleCancelOverdue: (turn) => {
      if (turn !== state.currentTurn) return
      abandon(turn)
      fork(host.stop)
    },

    handleDecision: (turn, refusal) => {
      if (state.decision !== undefined) Deferred.unsafeDone(state.decision, Effect.void)
      state.decision = undefined
      if (refusal === undefined && !turn.isCancelled) {
        activity.lastActivityAt = performance.now()
        context.historyLimit.beginTurn()
        return begin(context, turn, RunTurn.run(context, turn, activity, effects.waitsForPerson))
      }
      giveUp(context, effects, turn, refusal)
      startNext()
    },

    handleEnd: (turn, outcome) => {
      if (turn !== state.currentTurn) return
      end(context, effects, turn, TurnEnd.of(turn, outcome, context.memory.hasOpened))
      startNext()
    }
  }
}

const makeTurn = (prompt: Pick<Turn, "blocks" | "meta" | "size" | "requester">): Turn => ({
  ...prompt,
  turnId: randomUUID(),
  messageId: randomUUID(),
  abandoned: Deferred.unsafeMake(FiberId.none),
  wasSent: false,
  isCancelled: false
})

const decide = ({ metering, offer, taskId }: SessionContext, turn: Turn): Effect.Effect<void> =>
  metering.begin({ taskId, turnId: turn.turnId }).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.catchAllCause((cause) => Effect.as(Effect.logError("a turn cannot be stored", cause), notStored)),
    Effect.map((refusal) => offer({ _tag: "TurnDecided", turn, refusal }))
  )

const begin = (context: SessionContext, turn: Turn, run: Effect.Effect<void>) => {
  const { fork, status, store, taskId, unitOfWork } = context
  const { messageId, turnId } = turn
  unitOfWork.write(store.beginTurn({ turnId, taskId, messageId }))
  status("working")
  for (const content of PromptBlocks.forHistory(turn.blocks)) {
    const update = { sessionUpdate: "user_message_chunk", messageId, content }
    unitOfWork.publish("session/update", { sessionId: taskId, update })
  }
  unitOfWork.afterCommit(() => fork(run))
}

/** Ends a turn that does not begin: it was cancelled meanwhile, or its user has no credits left. */
const giveUp = (context: SessionContext, effects: Effects, turn: Turn, refusal: string | undefined) => {
  const { metering, notice, status, taskId, unitOfWork } = context
  unitOfWork.write(metering.end({ taskId, turnId: turn.turnId, counts: false }))
  if (refusal === undefined || turn.isCancelled) {
    effects.stopToolCalls("cancelled")
    return respondCancelled(context, turn)
  }
  if (turn.requester !== undefined) return respond(context, turn, (id) => JsonRpc.failure(id, refusalError(refusal)))
  // The initial prompt of a task: another task took the last credits since it was created.
  status("working")
  notice(withoutEffect(refusal))
  status("failed")
}

const end = (context: SessionContext, effects: Effects, turn: Turn, turnEnd: TurnEnd.TurnEnd) => {
  const { memory, metering, notice, status, store, subscribers, taskId, unitOfWork } = context
  const { isCharged, failure, permanentFailure, response, stopReason, toolCalls } = turnEnd
  unitOfWork.write(store.endTurn(turn.turnId, stopReason))
  Metrics.countTurn(stopReason)
  unitOfWork.write(metering.end({ taskId, turnId: turn.turnId, counts: isCharged }))
  if (stopReason !== "end_turn") effects.stopTasks()
  if (toolCalls !== undefined) effects.stopToolCalls(toolCalls)
  // The client that asked learns it from the response; without that client the history is the only place.
  if (turn.requester === undefined || !subscribers.all.has(turn.requester.subscriber)) {
    if (failure !== undefined) notice(failure)
    else if (stopReason === "cancelled") notice("The agent has stopped.", "cancelled")
  }
  if (permanentFailure !== undefined) {
    memory.failure = permanentFailure
    unitOfWork.write(store.saveFailure(taskId, permanentFailure))
  }
  status(failure !== undefined ? "failed" : stopReason === "cancelled" ? "idle" : "completed")
  respond(context, turn, response)
}

const respond = (context: SessionContext, turn: Turn, message: (id: JsonRpc.Id) => JsonRpc.Message) => {
  const { requester } = turn
  if (requester !== undefined) Replies.reply(context, requester.subscriber, message(requester.id))
}

const respondCancelled = (context: SessionContext, turn: Turn) =>
  respond(context, turn, (id) => JsonRpc.success(id, { stopReason: "cancelled" }))

const abandon = (turn: Turn) => Deferred.unsafeDone(turn.abandoned, Effect.succeed(TurnEnd.cancelled))

const cancelRunning = ({ fork, host, offerAfter, options }: SessionContext, turn: Turn) => {
  if (turn.isCancelled) return
  turn.isCancelled = true
  if (!turn.wasSent) return abandon(turn)
  fork(host.cancel)
  offerAfter(options.cancelGrace, { _tag: "CancelOverdue", turn })
}

/** The answer to a prompt that may not begin; of the codes that JSON-RPC leaves to servers. */
const refusalError = (reason: string): JsonRpc.RpcError =>
  new JsonRpc.RpcError({
    code: reason === notStored ? -32603 : -32003,
    message: withoutEffect(reason),
    ...(reason === notStored ? {} : { data: { reason: "no_credits" } })
  })

const notStored = "The service cannot store anything at the moment. Send your message again later."

const withoutEffect = (reason: string): string => `${reason} Nothing was done and nothing was charged.`
