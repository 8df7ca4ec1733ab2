import { type AcpError, ConnectionLost, type TransportError } from "../../AcpError.ts"
import * as CancelSteps from "./CancelSteps.ts"
import { andThen, type Attached, type Event, move, type State, stay, type Step } from "./SessionLife.ts"
import * as TurnSteps from "./TurnSteps.ts"

/**
 * The life of a session: what an event makes of a state, and what is to be done for it. Pure; updates do not pass it.
 */
export const step = (state: State, event: Event): Step => {
  switch (event._tag) {
    case "Connected":
      return event.fresh ? connect(state) : reconnect(state)
    case "Interrupted":
      return interrupt(state, event.error)
    case "Closed":
      return close(state, event.error)
    case "Attached":
      return attach(state, event)
    case "AttachFailed":
      return event.connection === state.connection ? attachFailed(state, event.error) : stay(state)
    case "RepeatWindow":
      return event.connection === state.connection ? move(state, { _tag: "EndRepeatWindow" }) : stay(state)
    case "PromptRequested":
      return TurnSteps.request(state, event.prompt)
    case "PromptAbandoned":
      return TurnSteps.abandon(state, event.id)
    case "PromptAnswered":
      return TurnSteps.answer(state, event.id, event.end)
    case "PromptLost":
      return TurnSteps.lose(state, event.id, event.error)
    case "ReadyTimeout":
      return TurnSteps.readyTimeout(state, event.id)
    case "AgentIdle":
      return stay(agentIdle(state))
    case "HistoryRequested":
      return requestHistory(state)
    case "HistoryReplayed":
      return TurnSteps.history(state, event.finding)
    case "CancelRequested":
      return CancelSteps.request(state, event.id)
    case "CancelSent":
      return CancelSteps.sent(state, event.id)
    case "CancelFailed":
      return CancelSteps.failed(state, event.id, event.error)
    case "CancelRetry":
      return CancelSteps.retry(state, event.id)
    case "CancelDeadline":
      return CancelSteps.deadline(state, event.id, event.turnId)
  }
}

/** A new connection: the agent knows nothing of the one before. */
const connect = (state: State): Step => {
  if (state.channel._tag === "Closed") return stay(state)
  const connection = state.connection + 1
  return move(
    { ...state, connection, channel: { _tag: "Attaching", interrupted: false } },
    { _tag: "DropConnection" },
    { _tag: "Attach", connection }
  )
}

/** The same connection goes on. */
const reconnect = (state: State): Step => {
  const { channel } = state
  if (channel._tag === "Attaching") return stay({ ...state, channel: { _tag: "Attaching", interrupted: false } })
  return channel._tag === "Interrupted" ? becomeReady(state, { ...channel, repeats: true }) : stay(state)
}

const interrupt = (state: State, error: TransportError): Step => {
  const { channel } = state
  if (channel._tag === "Closed") return stay(state)
  const interrupted: State = {
    ...state,
    lastError: error,
    channel:
      channel._tag === "Ready"
        ? { ...channel, _tag: "Interrupted" }
        : channel._tag === "Attaching"
          ? { _tag: "Attaching", interrupted: true }
          : channel
  }
  return state.readies > 0 ? move(interrupted, { _tag: "AnnounceInterrupted", error }) : stay(interrupted)
}

const attach = (
  state: State,
  { agent, connection, loads, repeats }: Extract<Event, { readonly _tag: "Attached" }>
): Step => {
  const attached: Attached = { agent, loads, repeats }
  const { channel } = state
  if (channel._tag !== "Attaching" || connection !== state.connection) return stay(state)
  const step: Step = channel.interrupted
    ? stay({ ...state, channel: { ...attached, _tag: "Interrupted" } })
    : becomeReady(state, attached)
  // On the first connection there is nothing to repeat.
  if (connection === 1) return step
  return andThen(step, (after) => move(after, { _tag: "StartTimer", timer: { _tag: "RepeatWindow", connection } }))
}

const becomeReady = (state: State, { agent, loads, repeats }: Attached): Step => {
  const ready: State = { ...state, channel: { _tag: "Ready", agent, loads, repeats }, readies: state.readies + 1 }
  const announced = move(ready, { _tag: "AnnounceReady", reopened: state.readies > 0, repeats })
  return andThen(andThen(announced, CancelSteps.sendWaiting), TurnSteps.sendWaiting)
}

/**
 * An attachment that may have acted is not repeated on its connection. The agent may send live updates there, before the
 * replay of a second load and in no way different from it.
 */
const attachFailed = (state: State, error: AcpError): Step => {
  const mayHaveActed = error._tag === "ConnectionLost" && error.sent
  const isOver = state.readies === 0 && state.connection >= maxFirstConnections
  return mayHaveActed && !isOver ? replaceConnection(state, error) : close(state, error)
}

const agentIdle = (state: State): State =>
  state.doubt === undefined || state.doubt.completeFrom !== undefined
    ? state
    : { ...state, doubt: { ...state.doubt, completeFrom: state.connection + 1 } }

/** Has the history loaded for a prompt in doubt: on a new connection, see {@link attachFailed}. */
const requestHistory = (state: State): Step => {
  const idle = agentIdle(state)
  const { channel, connection, doubt, turn } = idle
  // A new connection would detach a turn of this client.
  if (doubt === undefined || channel._tag !== "Ready" || turn !== undefined) return stay(idle)
  // An agent that cannot replay its history leaves the doubt.
  if (!channel.loads) return stay(state)
  const reason = new ConnectionLost({ description: "The history is loaded on a new connection", sent: true })
  return connection < (doubt.completeFrom ?? 0) ? replaceConnection(idle, reason) : stay(idle)
}

const replaceConnection = (state: State, reason: ConnectionLost): Step =>
  move({ ...state, channel: { _tag: "Connecting" } }, { _tag: "ReplaceConnection", reason })

/** The end of the session, for good. */
const close = (state: State, error: AcpError): Step => {
  if (state.channel._tag === "Closed") return stay(state)
  const closed = move(
    { ...state, channel: { _tag: "Closed", error } },
    { _tag: "DropConnection" },
    { _tag: "AnnounceClosed", error }
  )
  return andThen(andThen(closed, CancelSteps.close), TurnSteps.close)
}

/** How many connections a session is attached on before it is given up, while it was never open. */
const maxFirstConnections = 6
