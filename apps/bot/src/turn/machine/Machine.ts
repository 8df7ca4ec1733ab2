import type { Command, Timer } from "./Command.ts"
import type { Event } from "./Event.ts"
import { type History, isDecided, type TurnOutcome, type Phase, type State, type TaskStatus } from "./State.ts"

/** What a task in each status does: at work it is followed, at rest it takes a prompt, over it takes none. */
export const activity: Readonly<Record<TaskStatus, "AtWork" | "AtRest" | "Over">> = {
  Unknown: "AtRest",
  Idle: "AtRest",
  Busy: "AtWork",
  Pending: "AtWork",
  FailedButAlive: "Over",
  Terminal: "Over"
}

/** What is done about a prompt that may have been sent, where the task is at rest and the history does not hold it. */
const missing: Readonly<Record<History, "SendAgain" | "Follow">> = {
  Unknown: "SendAgain",
  WithUserMessages: "SendAgain",
  WithoutUserMessages: "SendAgain"
}

/** The outcome when the agent received the cancellation and did not react in time. */
const unconfirmedStop: TurnOutcome = { _tag: "Stopped" }

/** How long a turn keeps trying while the service is away. */
export const patienceMs = 15 * 60_000

type Step = readonly [State, ReadonlyArray<Command>]

/** The phase that an event belongs to; in any other it changes nothing. The other events may come in every phase. */
const phaseOf: Readonly<Partial<Record<Event["_tag"], Phase["_tag"]>>> = {
  Started: "Opening",
  SessionOpened: "Opening",
  TaskChecked: "Checking",
  PromptPrepared: "Preparing",
  PromptRefused: "Preparing",
  PromptRecorded: "Recording",
  PromptAnswered: "Prompting",
  PromptDetached: "Prompting",
  RunEnded: "Following",
  RunFailed: "Following",
  Silent: "Listening",
  AccountConnected: "WaitingForAccount",
  ArtifactsCollected: "Ending",
  EndPosted: "Posting"
}

/** What an event makes of a turn: its next state, and what is to be done. */
export const step = (state: State, event: Event): Step => {
  const { phase } = state
  if (phase._tag === "Over" || phase._tag === "ThreadClosed") return stay(state)
  if ((phaseOf[event._tag] ?? phase._tag) !== phase._tag) return stay(state)
  switch (event._tag) {
    case "Started":
      return started(state)
    case "SessionOpened":
      return sessionOpened({ ...state, recorded: event.recorded })
    case "TaskChecked":
      return taskChecked(state, event)
    case "PromptPrepared":
      return go(state, "Recording", { _tag: "RecordPrompt" })
    case "PromptRefused":
      return end(state, { _tag: "Failed", text: event.text })
    case "PromptRecorded":
      return promptRecorded({ ...state, prompt: "Unknown", filesPending: false })
    case "PromptAnswered":
      return promptAnswered(state, event)
    case "PromptDetached":
      return follow(state)
    case "RunEnded":
      return runEnded(state, event)
    case "RunFailed":
      return end({ ...state, task: event.status }, { _tag: "TaskFailed" })
    case "Silent":
      return end(state, { _tag: "Quiet" })
    case "AccountConnected":
      return go(state, "Opening", { _tag: "ClearNotice" }, { _tag: "OpenSession" })
    case "ArtifactsCollected":
      return "outcome" in phase ? post(state, phase.outcome) : stay(state)
    case "EndPosted":
      return "outcome" in phase ? [{ ...state, phase: { ...phase, _tag: "Over" } }, []] : stay(state)
    case "StopAsked":
      return state.stop === "None" ? stopAsked({ ...state, stop: "Asked" }) : stay(state)
    case "AnswersChanged":
      return [state, [{ _tag: hasSession(state) ? "SendAnswers" : "ShowAnswers" }]]
    case "CancelSent":
      return cancelSent(state)
    case "CancelFailed":
      return stay(state.stop === "Asked" ? { ...state, stop: "Unconfirmed" } : state)
    case "AttemptFailed":
      return attemptFailed(state, event)
    case "TimerFired":
      return timerFired(state, event.timer)
    case "ThreadClosed":
      return [{ ...state, phase: { _tag: "ThreadClosed", isRowClosed: event.isRowClosed } }, []]
  }
}

const stay = (state: State): Step => [state, []]

type Waypoint = Exclude<Phase["_tag"], "Ending" | "Posting" | "Over" | "ThreadClosed">

const go = (state: State, phase: Waypoint, ...commands: ReadonlyArray<Command>): Step => [
  { ...state, phase: { _tag: phase } },
  commands
]

/** Adds what is to be done first. */
const before = (commands: ReadonlyArray<Command>, [state, more]: Step): Step => [state, [...commands, ...more]]

const hasSession = ({ phase: { _tag } }: State): boolean =>
  _tag !== "Opening" && _tag !== "WaitingForService" && _tag !== "WaitingForAccount" && _tag !== "Posting"

/** Whether an agent may be at work on this turn. */
const mayRun = ({ kind, prompt }: State): boolean => kind === "LateOutput" || prompt !== "NotSent"

/** Ends the turn; where a session is open, what it produced is collected first. */
const end = (state: State, outcome: TurnOutcome): Step =>
  hasSession(state)
    ? [{ ...state, phase: { _tag: "Ending", outcome } }, [{ _tag: "HoldShutdown" }, { _tag: "CollectArtifacts" }]]
    : endAtOnce(state, outcome)

/** Ends the turn without another look at its session. */
const endAtOnce = (state: State, outcome: TurnOutcome): Step =>
  before([{ _tag: "CloseSession" }, { _tag: "HoldShutdown" }], post(state, outcome))

const post = (state: State, outcome: TurnOutcome): Step => [
  { ...state, phase: { _tag: "Posting", outcome } },
  [{ _tag: "PostEnd", outcome }]
]

/** How a turn ends that was stopped while its agent could not be reached. */
const unreached = ({ kind, prompt, recorded }: State): TurnOutcome => {
  if (recorded !== undefined) return { _tag: "Recorded", end: recorded }
  if (kind === "LateOutput") return { _tag: "Quiet" }
  return { _tag: prompt === "NotSent" ? "Unsent" : "Untold" }
}

/** How a turn ends that was stopped before its prompt was sent; a first prompt without files is at the service already. */
const stoppedBeforePrompt = ({ kind }: State): TurnOutcome => ({ _tag: kind === "Message" ? "Unsent" : "Stopped" })

const giveUpLater: Command = { _tag: "StartTimer", timer: "GiveUp", ms: 10_000 }
const stopGrace: Command = { _tag: "StartTimer", timer: "StopGrace", ms: 5000 }

const started = (state: State): Step => {
  const [next, stopping] = state.stop === "None" ? stay(state) : stopAsked(state)
  if (isDecided(next)) return [next, stopping]
  const replay: ReadonlyArray<Command> =
    state.recorded?._tag === "Failed" ? [{ _tag: "StartTimer", timer: "Replay", ms: 30_000 }] : []
  return [next, [...replay, { _tag: "OpenSession" }, ...stopping]]
}

const stopAsked = (state: State): Step => {
  const show: Command = { _tag: "ShowStop" }
  const tell: Command = { _tag: "SendCancel" }
  switch (state.phase._tag) {
    case "Opening":
      return mayRun(state) ? [state, [show, giveUpLater]] : before([show], end(state, unreached(state)))
    case "Checking":
      return mayRun(state) ? [state, [show, tell, giveUpLater]] : before([show], end(state, unreached(state)))
    case "Preparing":
      return before([show], end(state, stoppedBeforePrompt(state)))
    case "Prompting":
      return [state, [show, tell]]
    case "Following":
      return [state, [show, tell, giveUpLater]]
    case "Listening":
      return before([show, tell], end(state, { _tag: "Quiet" }))
    case "WaitingForService":
      return before([show], end(state, unreached(state)))
    case "WaitingForAccount":
      return before([show, { _tag: "ClearNotice" }], end(state, notReconnected(state)))
    case "Ending":
      return [state, [show, tell]]
    default:
      return [state, [show]]
  }
}

const notReconnected = ({ recorded }: State): TurnOutcome =>
  recorded === undefined ? { _tag: "NotReconnected" } : { _tag: "Recorded", end: recorded }

const cancelSent = (state: State): Step => {
  const sent: State = state.stop === "Asked" || state.stop === "Unconfirmed" ? { ...state, stop: "Delivered" } : state
  return state.phase._tag === "Following" ? [sent, [stopGrace]] : stay(sent)
}

const sessionOpened = (state: State): Step => {
  const { kind, recorded, stop } = state
  const isStopping = stop !== "None"
  const first: ReadonlyArray<Command> = isStopping
    ? [{ _tag: "ClearNotice" }, { _tag: "SendCancel" }]
    : [{ _tag: "ClearNotice" }]
  const open: State = { ...state, phase: { _tag: kind === "LateOutput" ? "Listening" : "Checking" } }
  if (recorded !== undefined) return before(first, end(open, { _tag: "Recorded", end: recorded }))
  if (kind !== "LateOutput") return [open, [...first, { _tag: "CheckTask" }]]
  return isStopping ? before(first, end(open, { _tag: "Quiet" })) : [open, [...first, { _tag: "AwaitSilence" }]]
}

const taskChecked = (state: State, event: Extract<Event, { readonly _tag: "TaskChecked" }>): Step => {
  const { history, status } = event
  const doing = activity[status]
  const wasSent = state.prompt !== "NotSent"
  const isThere = wasSent && event.arrived
  const isMissing = wasSent && !isThere && doing === "AtRest" && missing[history] === "SendAgain"
  const prompt = isThere ? "Delivered" : isMissing ? "NotThere" : state.prompt
  const known: State = { ...state, task: status, history, prompt }
  if (doing === "Over") return end(known, { _tag: "TaskFailed" })
  if (isThere || (wasSent && !isMissing)) return follow(known)
  if (state.kind === "OpenedTask") return end(known, { _tag: "Quiet" })
  return prepare(known, "Message")
}

const prepare = (state: State, part: "Message" | "Files"): Step =>
  state.stop === "None"
    ? go(state, "Preparing", { _tag: "PreparePrompt", part })
    : end(state, stoppedBeforePrompt(state))

const promptRecorded = (state: State): Step =>
  state.stop === "None" ? go(state, "Prompting", { _tag: "SendPrompt" }) : end(state, stoppedBeforePrompt(state))

const promptAnswered = (state: State, event: Extract<Event, { readonly _tag: "PromptAnswered" }>): Step => {
  const isConfirmed = state.stop !== "None" && event.stopReason === "cancelled"
  const { stopReason, tokens } = event
  return end(
    { ...state, prompt: "Delivered", stop: isConfirmed ? "Confirmed" : state.stop },
    { _tag: "Answered", stopReason, tokens }
  )
}

const follow = (state: State): Step =>
  go(state, "Following", { _tag: "FollowRun" }, ...(state.stop === "Delivered" ? [stopGrace] : []))

const runEnded = (state: State, { others, stopReason }: Extract<Event, { readonly _tag: "RunEnded" }>): Step => {
  if (state.stop !== "None") return end(state, { _tag: "Stopped" })
  // Somebody else's prompt ran: the session is looked at again.
  if (others) return go(state, "Opening", { _tag: "CloseSession" }, { _tag: "OpenSession" })
  if (state.filesPending) return prepare(state, "Files")
  return end(state, { _tag: "Answered", stopReason })
}

const timerFired = (state: State, timer: Timer): Step => {
  const { _tag } = state.phase
  if (isDecided(state)) return stay(state)
  switch (timer) {
    case "GiveUp":
      return state.stop === "None" || _tag === "Prompting" || (_tag === "Following" && state.stop === "Delivered")
        ? stay(state)
        : end(state, unreached(state))
    case "StopGrace":
      return _tag === "Following" && state.stop === "Delivered"
        ? end({ ...state, stop: "Unconfirmed" }, unconfirmedStop)
        : stay(state)
    case "Retry":
      return _tag === "WaitingForService" ? go(state, "Opening", { _tag: "OpenSession" }) : stay(state)
    case "Replay":
      return state.recorded === undefined ? stay(state) : endAtOnce(state, { _tag: "Recorded", end: state.recorded })
  }
}

const attemptFailed = (state: State, event: Extract<Event, { readonly _tag: "AttemptFailed" }>): Step => {
  const { failure } = event
  const { phase } = state
  // The outcome is known already; what the session still had to tell is done without.
  if (phase._tag === "Ending") return post(state, phase.outcome)
  if (phase._tag === "Posting") return stay(state)
  const closed: State = { ...state, phase: { _tag: "Opening" } }
  // It is shown with the next message; but a person who was asked something may still answer.
  if (state.kind === "LateOutput" && !event.asking) return end(closed, { _tag: "Failed", text: "" })
  switch (failure._tag) {
    case "Final":
      return end(closed, { _tag: "Failed", text: failure.text })
    case "AccountEnded": {
      const { recorded, replaced } = failure
      const ended: State = { ...closed, recorded, retries: state.retries }
      if (state.stop !== "None") return end(ended, unreached(ended))
      return replaced
        ? go(ended, "Opening", { _tag: "OpenSession" })
        : go(ended, "WaitingForAccount", { _tag: "AskToConnect" })
    }
    case "Unavailable": {
      const away: State = failure.notDelivered ? { ...closed, prompt: "NotThere" } : closed
      if (state.stop !== "None") return end(away, unreached(away))
      if (failure.awayMs > patienceMs) return end(away, { _tag: "Failed", text: failure.text })
      const ms = Math.min(10_000, 500 * 2 ** state.retries)
      const retry: Command = { _tag: "StartTimer", timer: "Retry", ms }
      return go({ ...away, retries: state.retries + 1 }, "WaitingForService", { _tag: "ShowWaiting" }, retry)
    }
  }
}
