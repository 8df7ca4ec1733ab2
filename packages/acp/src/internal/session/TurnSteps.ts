import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type { RpcError } from "../../JsonRpc.ts"
import { ConnectionLost, Detached, type TransportError, UnsupportedContent } from "../../AcpError.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { TurnEnd } from "../../TurnEnd.ts"
import {
  andThen,
  type CancelMessage,
  type Finding,
  move,
  type Prompt,
  type PromptError,
  type State,
  stay,
  type Step,
  type Turn
} from "./SessionLife.ts"

/** Queues a prompt; it is sent once the turns before it have ended and their cancellations are settled. */
export const request = (state: State, prompt: Prompt): Step => startNext({ ...state, queue: [...state.queue, prompt] })

/** Drops a prompt whose caller has gone; one that was sent runs on. */
export const abandon = (state: State, id: number): Step => {
  const { turn } = state
  if (turn?.id !== id) return stay({ ...state, queue: state.queue.filter((prompt) => prompt.id !== id) })
  return turn.delivery === "NotSent"
    ? end(state, turn, Exit.interrupt(FiberId.none))
    : stay({ ...state, turn: { ...turn, abandoned: true } })
}

/** Begins the next turn if none runs and no cancellation is on its way: that would stop it. */
export const startNext = (state: State): Step => {
  const [prompt, ...queue] = state.queue
  if (prompt === undefined || state.turn !== undefined || state.cancels.length > 0) return stay(state)
  const turn: Turn = { ...prompt, delivery: "NotSent", cancellation: "None", abandoned: false, connection: 0 }
  const started = { ...state, queue, turn }
  switch (state.channel._tag) {
    case "Ready":
      return send(started, turn, state.channel.agent)
    case "Closed":
      return end(started, turn, Exit.fail(state.channel.error))
    default:
      return move(started, { _tag: "StartTimer", timer: { _tag: "ReadyTimeout", id: prompt.id } })
  }
}

/** Sends the prompt of the turn that waits for the channel. */
export const sendWaiting = (state: State): Step =>
  state.turn?.delivery === "NotSent" && state.channel._tag === "Ready"
    ? send(state, state.turn, state.channel.agent)
    : stay(state)

/** Ends a turn and begins the next. */
export const end = (state: State, turn: Turn, exit: Exit.Exit<TurnEnd, PromptError>): Step =>
  andThen(move({ ...state, turn: undefined, lastTurn: turn }, { _tag: "EndTurn", turn, end: exit }), startNext)

/** Fails a prompt for which the channel did not come up in time. */
export const readyTimeout = (state: State, id: number): Step => {
  const { lastError: cause, turn } = state
  if (turn?.id !== id || turn.delivery !== "NotSent") return stay(state)
  const description = "The channel is down; nothing was sent"
  return end(state, turn, Exit.fail(new ConnectionLost({ description, sent: false, cause })))
}

/** Fails every prompt that was not sent. */
export const close = (state: State): Step =>
  state.turn?.delivery === "NotSent" && state.channel._tag === "Closed"
    ? end(state, state.turn, Exit.fail(state.channel.error))
    : stay(state)

/** Ends the turn that the agent answered. */
export const answer = (state: State, id: number, answered: Exit.Exit<TurnEnd, RpcError>): Step => {
  const { lastTurn, turn } = state
  if (turn?.id === id) {
    return andThen(settleNeedless(withdraw(state, answered), id), (settled) =>
      end(settled, answeredTurn(turn, answered), answered)
    )
  }
  if (lastTurn?.id !== id || lastTurn.cancellation !== "Unconfirmed") return stay(state)
  // Late: what is open now may belong to the next turn.
  const late = { ...state, lastTurn: answeredTurn(lastTurn, answered) }
  return andThen(settleNeedless(turn === undefined ? withdraw(late, answered) : stay(late), id), startNext)
}

/** Ends a turn whose prompt can have no answer any more. */
export const lose = (state: State, id: number, error: TransportError): Step => {
  const { turn } = state
  if (turn?.id !== id) return stay(state)
  if (error._tag === "ConnectionLost" && error.sent) {
    const doubt = turn.abandoned ? state.doubt : { id, content: turn.content, completeFrom: undefined }
    return end(
      { ...state, doubt },
      { ...turn, delivery: "InDoubt" },
      Exit.fail(new Detached({ description: detached }))
    )
  }
  if (error._tag === "ConnectionLost" && turn.cancellation !== "None") {
    // It was cancelled while it waited to be sent.
    const cancelled: Turn = { ...turn, cancellation: "Confirmed" }
    return andThen(move(state, { _tag: "RemovePrompt", id }), (after) =>
      end(after, cancelled, Exit.succeed({ stopReason: "cancelled" }))
    )
  }
  if (error._tag === "ConnectionLost" && error.reconnecting === true && !turn.abandoned) {
    // Nothing was sent: it goes out on the next connection, if that comes in time.
    const waiting = move(
      { ...state, turn: { ...turn, delivery: "NotSent" } },
      { _tag: "RemovePrompt", id },
      { _tag: "StartTimer", timer: { _tag: "ReadyTimeout", id } }
    )
    return state.connection > turn.connection ? andThen(waiting, sendWaiting) : waiting
  }
  const notSent = !turn.abandoned && (error._tag === "ConnectionLost" || error._tag === "ChannelRefused")
  const removed = notSent ? move(state, { _tag: "RemovePrompt", id }) : stay(state)
  return andThen(removed, (after) => end(after, turn, Exit.fail(error)))
}

/**
 * Compares a replayed history with the prompt in doubt. A prompt that a complete history lacks was not
 * delivered; an incomplete history may lack the running turn. Without a clear finding the prompt stays unknown.
 */
export const history = (state: State, finding: Finding): Step => {
  const { doubt } = state
  if (doubt === undefined) return stay(state)
  if (finding === "Present") return stay({ ...state, doubt: undefined })
  const isComplete = doubt.completeFrom !== undefined && state.connection >= doubt.completeFrom
  if (!isComplete) return stay(state)
  const { id } = doubt
  return finding === "Missing"
    ? move({ ...state, doubt: undefined, undelivered: id }, { _tag: "RemovePrompt", id })
    : stay({ ...state, doubt: undefined, unproven: id })
}

const send = (state: State, turn: Turn, agent: Wire.InitializeResponse): Step => {
  const refused = turn.content.find((block) => !accepts(agent, block))
  if (refused !== undefined) return end(state, turn, Exit.fail(new UnsupportedContent({ type: refused.type })))
  const prompt = { id: turn.id, content: turn.content }
  const { connection } = state
  return move({ ...state, turn: { ...turn, delivery: "Sent", connection } }, { _tag: "SendPrompt", prompt })
}

const answeredTurn = (turn: Turn, answered: Exit.Exit<TurnEnd, RpcError>): Turn => {
  const cancellation = isCancelled(answered) ? "Confirmed" : "TooLate"
  return { ...turn, delivery: "Answered", cancellation: turn.cancellation === "None" ? "None" : cancellation }
}

/** Only the agent's word makes a turn a cancelled one; it may end by itself before the cancellation arrives. */
const isCancelled = (answered: Exit.Exit<TurnEnd, RpcError>): boolean =>
  Exit.isSuccess(answered) && answered.value.stopReason === "cancelled"

/** Ends what was asked and begun in an answered turn. */
const withdraw = (state: State, answered: Exit.Exit<TurnEnd, RpcError>): Step => {
  if (Exit.isFailure(answered)) return stay(state)
  const withdrawn = { _tag: "WithdrawRequests" } as const
  return isCancelled(answered) ? move(state, withdrawn, { _tag: "CancelToolCalls" }) : move(state, withdrawn)
}

/** Gives up the cancellations of an answered turn; one that is being sent still has to be waited for. */
const settleNeedless = (step: Step, turnId: number): Step =>
  andThen(step, (state) => {
    const isNeedless = (message: CancelMessage) => message.turnId === turnId && message.stage !== "Sending"
    const needless = state.cancels.filter(isNeedless)
    return move(
      { ...state, cancels: state.cancels.filter((message) => !isNeedless(message)) },
      ...needless.map((message) => ({ _tag: "SettleCancel", message, error: undefined }) as const)
    )
  })

const accepts = (agent: Wire.InitializeResponse, block: Wire.ContentBlock): boolean => {
  const offered = agent.agentCapabilities?.promptCapabilities
  switch (block.type) {
    case "image":
      return offered?.image === true
    case "audio":
      return offered?.audio === true
    case "resource":
      return offered?.embeddedContext === true
    default:
      return true
  }
}

const detached =
  "The connection broke while the agent was working. The message was not sent again; the agent may still be working on it."
