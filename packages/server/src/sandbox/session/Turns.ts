import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
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
  readonly running: () => boolean
  /** Waits until it is known whether the next turn begins; undefined when none waits for that. */
  readonly undecided: () => Effect.Effect<void> | undefined
  /** Begins a turn, or queues it behind the one that runs; false where too much waits already. */
  readonly prompt: (blocks: PromptBlocks.Blocks, size: number, asker: Turn["asker"]) => boolean
  /** Ends the running turn through the agent and drops what is queued. */
  readonly cancel: () => void
  /** Withdraws one connection's prompt: dropped when it waits, cancelled when it runs. */
  readonly withdraw: (subscriber: Subscriber, id: unknown) => void
  /** The agent did not end a cancelled turn in time: the turn ends without it, and it is stopped. */
  readonly overdue: (turn: Turn) => void
  /** Begins a turn whose user can pay for it, or tells why it does not begin. */
  readonly decided: (turn: Turn, refusal: string | undefined) => void
  readonly ended: (turn: Turn, outcome: TurnOutcome) => void
  /** The agent gave a sign of life. */
  readonly heard: () => void
}

/** What the turns of a session change beside its context. */
export interface Effects {
  /** Cancels what is left of the task list. */
  readonly stopTasks: () => void
  /** Ends the tool calls that still run. */
  readonly stopToolCalls: (status: "cancelled" | "failed") => void
  readonly waitsForPerson: () => boolean
}

/** The running turn, and the decision whether it begins while that is open. */
interface State {
  current: Turn | undefined
  deciding: Deferred.Deferred<void> | undefined
}

/** Makes the turns of one session. */
export const make = (context: SessionContext, effects: Effects): Turns => {
  const { fork, host } = context
  const queue = PromptQueue.make()
  const state: State = { current: undefined, deciding: undefined }
  const activity: RunTurn.Activity = { heardAt: 0 }

  /** Asks whether a turn may begin; until that is known it counts as the running one. */
  const ask = (turn: Turn) => {
    state.current = turn
    state.deciding = Deferred.unsafeMake(FiberId.none)
    fork(decide(context, turn))
  }
  const next = () => {
    state.current = undefined
    const turn = queue.next()
    if (turn !== undefined) ask(turn)
  }

  return {
    running: () => state.current !== undefined,
    undecided: () => state.deciding && Deferred.await(state.deciding),
    heard: () => {
      activity.heardAt = Date.now()
    },

    prompt: (blocks, size, asker) => {
      const turn = makeTurn(blocks, size, asker)
      if (state.current !== undefined) return queue.add(turn)
      ask(turn)
      return true
    },

    cancel: () => {
      for (const turn of queue.clear()) answerCancelled(context, turn)
      if (state.current === undefined) effects.stopToolCalls("cancelled")
      else cancelRunning(context, state.current)
    },

    withdraw: (subscriber, id) => {
      const { current } = state
      const dropped = queue.remove(subscriber, id)
      if (dropped !== undefined) answer(context, dropped, (id) => JsonRpc.failure(id, JsonRpc.RpcError.cancelled()))
      else if (current !== undefined && PromptQueue.isOf(current, subscriber, id)) cancelRunning(context, current)
    },

    overdue: (turn) => {
      if (turn !== state.current) return
      abandon(turn)
      fork(host.stop)
    },

    decided: (turn, refusal) => {
      if (state.deciding !== undefined) Deferred.unsafeDone(state.deciding, Effect.void)
      state.deciding = undefined
      if (refusal === undefined && !turn.cancelled) {
        activity.heardAt = Date.now()
        return begin(context, turn, RunTurn.run(context, turn, activity, effects.waitsForPerson))
      }
      giveUp(context, effects, turn, refusal)
      next()
    },

    ended: (turn, outcome) => {
      if (turn !== state.current) return
      end(context, effects, turn, TurnEnd.of(turn, outcome, context.memory.opened))
      next()
    }
  }
}

const makeTurn = (blocks: PromptBlocks.Blocks, size: number, asker: Turn["asker"]): Turn => ({
  turnId: randomUUID(),
  messageId: randomUUID(),
  blocks,
  size,
  asker,
  abandoned: Deferred.unsafeMake(FiberId.none),
  sent: false,
  cancelled: false
})

const decide = ({ metering, offer, taskId }: SessionContext, turn: Turn): Effect.Effect<void> =>
  metering.begin({ taskId, turnId: turn.turnId }).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.catchAllCause((cause) =>
      Effect.as(Effect.logError("it could not be found out whether a turn may begin", cause), unknown)
    ),
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
  if (refusal === undefined || turn.cancelled) {
    effects.stopToolCalls("cancelled")
    return answerCancelled(context, turn)
  }
  if (turn.asker !== undefined) return answer(context, turn, (id) => JsonRpc.failure(id, refused(refusal)))
  // The initial prompt of a task: another task took the last credits since it was created.
  status("working")
  notice(withoutEffect(refusal))
  status("completed")
}

const end = (context: SessionContext, effects: Effects, turn: Turn, turnEnd: TurnEnd.TurnEnd) => {
  const { memory, metering, notice, status, store, subscribers, taskId, unitOfWork } = context
  const { counts, failure, response, stopReason, toolCalls } = turnEnd
  unitOfWork.write(store.endTurn(turn.turnId, stopReason))
  Metrics.turnEnded(stopReason)
  unitOfWork.write(metering.end({ taskId, turnId: turn.turnId, counts }))
  if (stopReason !== "end_turn") effects.stopTasks()
  if (toolCalls !== undefined) effects.stopToolCalls(toolCalls)
  if (failure !== undefined) {
    // The client that asked learns it from the response; without that client the history is the only place.
    const heard = turn.asker !== undefined && subscribers.all.has(turn.asker.subscriber)
    if (!heard) notice(failure.text)
    if (failure.permanent) {
      memory.failure = failure.text
      unitOfWork.write(store.saveFailure(taskId, failure.text))
    }
  }
  status(failure?.permanent === true ? "failed" : "completed")
  answer(context, turn, response)
}

const answer = (context: SessionContext, turn: Turn, message: (id: JsonRpc.Id) => JsonRpc.Message) => {
  const { asker } = turn
  if (asker !== undefined) Replies.reply(context, asker.subscriber, message(asker.id))
}

const answerCancelled = (context: SessionContext, turn: Turn) =>
  answer(context, turn, (id) => JsonRpc.success(id, { stopReason: "cancelled" }))

const abandon = (turn: Turn) => Deferred.unsafeDone(turn.abandoned, Effect.succeed(TurnEnd.cancelled))

const cancelRunning = ({ fork, host, offer, options }: SessionContext, turn: Turn) => {
  if (turn.cancelled) return
  turn.cancelled = true
  if (!turn.sent) return abandon(turn)
  fork(host.cancel)
  fork(Effect.sleep(options.cancelGrace).pipe(Effect.andThen(() => offer({ _tag: "CancelOverdue", turn }))))
}

/** The answer to a prompt that may not begin; of the codes that JSON-RPC leaves to servers. */
const refused = (reason: string): JsonRpc.RpcError =>
  new JsonRpc.RpcError({ code: -32003, message: withoutEffect(reason), data: { reason: "no_credits" } })

const unknown = "The service could not find out whether the account has credits left. Send your message again."

const withoutEffect = (reason: string): string => `${reason} Nothing was done and nothing was charged.`
