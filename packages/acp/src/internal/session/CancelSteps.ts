import * as Exit from "effect/Exit"
import { type AcpError, ConnectionLost, type TransportError } from "../../AcpError.ts"
import { andThen, type CancelMessage, type Command, move, type State, stay, type Step } from "./SessionLife.ts"
import * as TurnSteps from "./TurnSteps.ts"

/** Cancels the running turn, or, where none of this client's runs, whatever the agent is doing. */
export const request = (state: State, id: number): Step => {
  const { turn } = state
  // The agent never saw it, and a message to the agent would stop what runs elsewhere.
  if (turn?.delivery === "NotSent") {
    return andThen(move(state, { _tag: "CancelRequests" }), (after) =>
      TurnSteps.end(after, { ...turn, cancellation: "Confirmed" }, Exit.succeed({ stopReason: "cancelled" }))
    )
  }
  const message: CancelMessage = { id, turnId: turn?.id, stage: "Waiting", overdue: false }
  const cancelled: State = {
    ...state,
    turn: turn === undefined ? undefined : { ...turn, cancellation: "Requested" },
    cancels: [...state.cancels, message]
  }
  const timer = { _tag: "CancelDeadline", id, turnId: turn?.id } as const
  return andThen(
    move(cancelled, { _tag: "CancelRequests" }, { _tag: "StartTimer", timer }),
    state.channel._tag === "Closed" ? close : sendWaiting
  )
}

/** Sends every cancellation that waits for the channel. */
export const sendWaiting = (state: State): Step => {
  if (state.channel._tag !== "Ready") return stay(state)
  const isWaiting = ({ stage }: CancelMessage) => stage === "Waiting"
  return move(
    {
      ...state,
      cancels: state.cancels.map((message) => (isWaiting(message) ? { ...message, stage: "Sending" } : message))
    },
    ...state.cancels.filter(isWaiting).map(({ id }): Command => ({ _tag: "SendCancel", id }))
  )
}

/** The channel has taken the message. */
export const sent = (state: State, id: number): Step => settle(state, id, undefined)

/** The message was not taken: it is repeated until the deadline, unless the agent has answered the turn meanwhile. */
export const failed = (state: State, id: number, error: TransportError): Step => {
  const message = state.cancels.find((each) => each.id === id)
  if (message === undefined) return stay(state)
  if (isAnswered(state, message.turnId)) return settle(state, id, undefined)
  if (error._tag !== "ConnectionLost" || message.overdue) return settle(state, id, error)
  return move(withStage(state, id, "Pausing"), { _tag: "StartTimer", timer: { _tag: "CancelRetry", id } })
}

/** The pause before the next attempt is over. */
export const retry = (state: State, id: number): Step => sendWaiting(withStage(state, id, "Waiting", "Pausing"))

/** The deadline has passed: the turn is over for this client, whatever the agent does. */
export const deadline = (state: State, id: number, turnId: number | undefined): Step => {
  const message = state.cancels.find((each) => each.id === id)
  const { turn } = state
  // What is being sent is waited for: it could still arrive, and stop a later turn.
  const settled =
    message?.stage === "Sending"
      ? stay({
          ...state,
          cancels: state.cancels.map((each) => (each.id === id ? { ...each, overdue: true } : each))
        })
      : settle(state, id, new ConnectionLost({ description: "The agent could not be told to stop", sent: false }))
  if (turn === undefined || turn.id !== turnId) return settled
  const unconfirmed = { ...turn, cancellation: "Unconfirmed" } as const
  const delivery = message === undefined ? {} : ({ isUndelivered: true } as const)
  return andThen(settled, (after) =>
    TurnSteps.end(after, unconfirmed, Exit.succeed({ stopReason: "cancelled", isUnconfirmed: true, ...delivery }))
  )
}

/** Gives up what waits for a channel that is closed. */
export const close = (state: State): Step =>
  state.cancels.reduce<Step>((step, { id, stage }) => {
    const { channel } = state
    return channel._tag !== "Closed" || stage === "Sending"
      ? step
      : andThen(step, (after) => settle(after, id, channel.error))
  }, stay(state))

const settle = (state: State, id: number, error: AcpError | undefined): Step => {
  const message = state.cancels.find((each) => each.id === id)
  if (message === undefined) return stay(state)
  const cancels = state.cancels.filter((each) => each !== message)
  return andThen(move({ ...state, cancels }, { _tag: "SettleCancel", message, error }), TurnSteps.startNext)
}

const isAnswered = ({ lastTurn }: State, turnId: number | undefined): boolean =>
  lastTurn !== undefined && lastTurn.id === turnId && lastTurn.delivery === "Answered"

const withStage = (state: State, id: number, stage: CancelMessage["stage"], from?: CancelMessage["stage"]): State => ({
  ...state,
  cancels: state.cancels.map((each) =>
    each.id === id && (from === undefined || each.stage === from) ? { ...each, stage } : each
  )
})
