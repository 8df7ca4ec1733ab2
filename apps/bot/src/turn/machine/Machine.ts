import type { Command, Timer } from "./Command.ts"
import type { Event } from "./Event.ts"
import { awayMs, hasRecovered, outageStart, retryWindowMs } from "./Outage.ts"
import { isUnsent, type Phase, type Prompt, type Rows, type State, type TaskStatus, type TurnOutcome } from "./State.ts"

/** What a task in each status does: at work it is followed, at rest it takes a prompt, over it takes none. */
export const activity: Readonly<Record<TaskStatus, "AtWork" | "AtRest" | "Over">> = {
  Idle: "AtRest",
  Busy: "AtWork",
  Pending: "AtWork",
  Completed: "AtRest",
  Failed: "AtRest",
  Ended: "Over"
}

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
  TaskEnded: "Following",
  Silent: "Listening",
  AccountConnected: "WaitingForAccount",
  ArtifactsCollected: "Ending",
  EndPosted: "Posting"
}

/** The state of a turn that begins, or goes on after a restart. */
export const initial = ({ initialPrompt, kind, prompted, storedEnd, stopAsked }: Rows): State => ({
  kind,
  phase: { _tag: "Opening" },
  prompt: prompted ? "Unknown" : kind === "FirstPrompt" || kind === "OpenedTask" ? "WithService" : "NotSent",
  stop: stopAsked ? "Requested" : "None",
  cancel: "None",
  isComplete: false,
  initialPrompt,
  storedEnd,
  attempt: 0,
  retries: 0,
  unavailableSince: undefined
})

/** Whether the outcome is known: only the posting is left. */
export const isDecided = ({ phase: { _tag } }: State): boolean =>
  _tag === "Ending" || _tag === "Posting" || _tag === "Over" || _tag === "ThreadClosed"

/** What an event makes of a turn: its next state, and what is to be done. */
export const step = (state: State, event: Event): Step => {
  const { phase } = state
  if (phase._tag === "Over" || phase._tag === "ThreadClosed") return unchanged(state)
  if ((phaseOf[event._tag] ?? phase._tag) !== phase._tag) return unchanged(state)
  switch (event._tag) {
    case "Started":
      return onStarted(state)
    case "SessionOpened":
      return onSessionOpened({ ...state, storedEnd: event.storedEnd })
    case "TaskChecked":
      return onTaskChecked({ ...state, isComplete: event.isComplete }, event)
    case "PromptPrepared":
      return enter(state, "Recording", { _tag: "RecordPrompt", blocks: event.blocks })
    case "PromptRefused":
      return endTurn(state, { _tag: "Failed", text: event.text })
    case "PromptRecorded":
      return onPromptRecorded({ ...state, prompt: "Unknown" }, event.blocks)
    case "PromptAnswered":
      return onPromptAnswered(state, event)
    case "PromptDetached":
      return follow(state)
    case "ChannelOutdated":
      return phase._tag === "Prompting" || phase._tag === "Following"
        ? openSession(state, { _tag: "CloseSession" })
        : unchanged(state)
    case "RunEnded":
      return onRunEnded(state, event)
    case "TaskEnded":
      return endTurn(state, { _tag: "TaskEnded", isUnsent: isUnsent(state) })
    case "Silent":
      return endTurn(state, { _tag: "Quiet" })
    case "AccountConnected":
      return openSession(state, { _tag: "ClearNotice" })
    case "ArtifactsCollected":
      return "outcome" in phase ? post(state, phase.outcome) : unchanged(state)
    case "EndPosted":
      return "outcome" in phase ? [{ ...state, phase: { ...phase, _tag: "Over" } }, []] : unchanged(state)
    case "StopAsked":
      return state.stop === "None" ? onStopAsked({ ...state, stop: "Requested" }) : unchanged(state)
    case "AnswersChanged":
      return [state, [{ _tag: hasSession(state) ? "SendAnswers" : "ShowAnswers", handled: event.handled }]]
    case "CancelSent":
      return onCancelSent(state)
    case "CancelFailed":
      return [{ ...state, cancel: "None" }, []]
    case "AttemptFailed":
      return event.attempt === state.attempt ? onAttemptFailed(state, event) : unchanged(state)
    case "TimerFired":
      return onTimerFired(state, event.timer)
    case "ThreadClosed":
      return [{ ...state, phase: { _tag: "ThreadClosed", isRowClosed: event.isRowClosed } }, []]
  }
}

const unchanged = (state: State): Step => [state, []]

type Waypoint = Exclude<Phase["_tag"], "Ending" | "Posting" | "Over" | "ThreadClosed">

const enter = (state: State, phase: Waypoint, ...commands: ReadonlyArray<Command>): Step => [
  { ...state, phase: { _tag: phase } },
  commands
]

/** Begins another attempt, after these commands. */
const openSession = (state: State, ...first: ReadonlyArray<Command>): Step => {
  const attempt = state.attempt + 1
  return enter({ ...state, attempt }, "Opening", ...first, { _tag: "OpenSession", attempt })
}

/** Adds what is to be done first. */
const prepend = (commands: ReadonlyArray<Command>, [state, more]: Step): Step => [state, [...commands, ...more]]

const hasSession = ({ phase: { _tag } }: State): boolean =>
  _tag !== "Opening" && _tag !== "WaitingForService" && _tag !== "WaitingForAccount" && _tag !== "Posting"

/** Whether an agent may be at work on this turn. */
const mayRun = ({ kind, prompt }: State): boolean => kind === "LateOutput" || prompt !== "NotSent"

/** Ends the turn; where a session is open, what it produced is collected first. */
const endTurn = (state: State, outcome: TurnOutcome): Step =>
  hasSession(state)
    ? [{ ...state, phase: { _tag: "Ending", outcome } }, [{ _tag: "HoldShutdown" }, { _tag: "CollectArtifacts" }]]
    : endAtOnce(state, outcome)

/** Ends the turn without another look at its session. */
const endAtOnce = (state: State, outcome: TurnOutcome): Step =>
  prepend([{ _tag: "CloseSession" }, { _tag: "HoldShutdown" }], post(state, outcome))

const post = (state: State, outcome: TurnOutcome): Step => [
  { ...state, phase: { _tag: "Posting", outcome } },
  [{ _tag: "PostEnd", outcome }]
]

/** How a turn ends that was stopped while its agent could not be reached. */
const unreachedOutcome = ({ kind, prompt, stop, storedEnd }: State): TurnOutcome => {
  if (storedEnd !== undefined) return { _tag: "Recorded", end: storedEnd }
  if (kind === "LateOutput") return { _tag: "Quiet" }
  if (prompt === "NotSent") return { _tag: "Unsent" }
  return { _tag: stop === "Delivered" ? "StopUnconfirmed" : "StopNotDelivered" }
}

/** How a turn ends that was stopped before its prompt was sent; a first prompt without files is at the service already. */
const stoppedBeforePrompt = ({ kind }: State): TurnOutcome => ({ _tag: kind === "Message" ? "Unsent" : "Stopped" })

const giveUpLater: Command = { _tag: "StartTimer", timer: "GiveUp", ms: 10_000 }
const stopGrace: Command = { _tag: "StartTimer", timer: "StopGrace", ms: 5000 }
const sendCancel: Command = { _tag: "SendCancel" }

const cancelThen = (state: State, ...later: ReadonlyArray<Command>): Step => [
  { ...state, cancel: "Sending" },
  [sendCancel, ...later]
]

const onStarted = (state: State): Step => {
  // A message that did not go out has no answer to read from the session.
  if (state.storedEnd !== undefined && state.kind === "Message" && state.prompt === "NotSent")
    return endAtOnce(state, { _tag: "Recorded", end: state.storedEnd })
  const [next, stopping] = state.stop === "None" ? unchanged(state) : onStopAsked(state)
  if (isDecided(next)) return [next, stopping]
  const replay: ReadonlyArray<Command> =
    state.storedEnd?._tag === "Failed" ? [{ _tag: "StartTimer", timer: "Replay", ms: 30_000 }] : []
  const [opening, commands] = openSession(next, ...replay)
  return [opening, [...commands, ...stopping]]
}

const onStopAsked = (state: State): Step => {
  const showStop: Command = { _tag: "ShowStop" }
  switch (state.phase._tag) {
    case "Opening":
      return mayRun(state)
        ? [state, [showStop, giveUpLater]]
        : prepend([showStop], endTurn(state, unreachedOutcome(state)))
    case "Checking":
      return mayRun(state)
        ? prepend([showStop], cancelThen(state, giveUpLater))
        : prepend([showStop], endTurn(state, unreachedOutcome(state)))
    case "Preparing":
      return prepend([showStop], endTurn(state, stoppedBeforePrompt(state)))
    case "Prompting":
    case "Ending":
      return prepend([showStop], cancelThen(state))
    case "Following":
      return prepend([showStop], cancelThen(state, giveUpLater))
    case "Listening":
      return prepend([showStop, sendCancel], endTurn(state, { _tag: "Quiet" }))
    case "WaitingForService":
      return prepend([showStop], endTurn(state, unreachedOutcome(state)))
    case "WaitingForAccount":
      return prepend([showStop, { _tag: "ClearNotice" }], endTurn(state, notReconnected(state)))
    default:
      return [state, [showStop]]
  }
}

const notReconnected = ({ storedEnd }: State): TurnOutcome =>
  storedEnd === undefined ? { _tag: "NotReconnected" } : { _tag: "Recorded", end: storedEnd }

const onCancelSent = (state: State): Step => {
  const sent: State = { ...state, stop: state.stop === "Requested" ? "Delivered" : state.stop, cancel: "None" }
  if (state.phase._tag !== "Following") return unchanged(sent)
  return state.cancel === "SendAgain" ? cancelThen(sent) : [sent, [stopGrace]]
}

const onSessionOpened = (state: State): Step => {
  const { kind, storedEnd, stop } = state
  const isStopping = stop !== "None"
  const firstCommands: ReadonlyArray<Command> = isStopping
    ? [{ _tag: "ClearNotice" }, sendCancel]
    : [{ _tag: "ClearNotice" }]
  const open: State = {
    ...state,
    phase: { _tag: kind === "LateOutput" ? "Listening" : "Checking" },
    cancel: isStopping ? "Sending" : "None"
  }
  if (storedEnd !== undefined) return prepend(firstCommands, endTurn(open, { _tag: "Recorded", end: storedEnd }))
  if (kind !== "LateOutput") return [open, [...firstCommands, { _tag: "CheckTask" }]]
  return isStopping
    ? prepend(firstCommands, endTurn(open, { _tag: "Quiet" }))
    : [open, [...firstCommands, { _tag: "AwaitSilence" }]]
}

type TaskChecked = Extract<Event, { readonly _tag: "TaskChecked" }>

const onTaskChecked = (state: State, event: TaskChecked): Step => {
  const taskActivity = activity[event.status]
  if (taskActivity === "Over") return endTurn(state, { _tag: "TaskEnded", isUnsent: isUnsent(state) })
  if (state.prompt === "NotSent") return onPromptNotSent(state, event)
  if (event.hasArrived) return cancelAgain(state, { ...state, prompt: "Delivered" })
  if (state.prompt === "WithService") return onFirstPromptUnseen(state, event)
  if (taskActivity === "AtWork") return follow(state)
  if (event.isComplete) return prepare({ ...state, prompt: "NotThere" })
  return endTurn(state, { _tag: "DeliveryUnknown" })
}

/** What is done about a message after one whose stop is not confirmed: the agent may still be at work on that one. */
const onPromptNotSent = (state: State, event: TaskChecked): Step => {
  const { awaitsAnswer, hasWaited, isStopOpen, status } = event
  if (!isStopOpen || activity[status] !== "AtWork" || state.stop !== "None") return prepare(state)
  // What the agent still says to the stopped message would stand in the next answer.
  if (!hasWaited) return [state, [sendCancel, { _tag: "AwaitStoppedRun" }]]
  // Some tasks rest in this status.
  return status === "Pending" && !awaitsAnswer ? prepare(state) : endTurn(state, { _tag: "StillAtWork" })
}

/** What is done about a first prompt that the session does not show: it is sent only if that cannot run it twice. */
const onFirstPromptUnseen = (state: State, { hasWaited, isHeld, status }: TaskChecked): Step => {
  const isOwn = state.kind === "FirstPrompt"
  if (isOwn && isHeld) return prepare(state)
  if (activity[status] === "AtWork") return cancelAgain(state, state)
  if (!isOwn) return endTurn(state, { _tag: "Quiet" })
  // Only an idle task may wait for its first prompt; in any other status a run is over.
  if (status !== "Idle") return follow(state)
  if (!hasWaited) return [state, [{ _tag: "AwaitFirstRun" }]]
  if (state.stop !== "None") return endTurn(state, { _tag: "StopUnconfirmed" })
  return state.initialPrompt === "send" ? prepare(state) : endTurn(state, { _tag: "DeliveryUnknown" })
}

/** Follows a run. A cancellation before the service begins with the first prompt does not stop it: another one follows. */
const cancelAgain = ({ cancel, prompt, stop }: State, next: State): Step => {
  if (stop === "None" || prompt !== "WithService") return follow(next)
  // A busy service says how long to wait, and that holds for the next one, too.
  if (cancel !== "None") return follow({ ...next, cancel: "SendAgain" })
  const [state, commands] = cancelThen(next)
  return prepend(commands, follow(state))
}

const prepare = (state: State): Step =>
  state.stop === "None"
    ? enter(state, "Preparing", { _tag: "PreparePrompt" })
    : endTurn(state, stoppedBeforePrompt(state))

const onPromptRecorded = (state: State, blocks: Prompt): Step =>
  state.stop === "None"
    ? enter(state, "Prompting", { _tag: "SendPrompt", blocks })
    : endTurn(state, stoppedBeforePrompt(state))

const onPromptAnswered = (
  state: State,
  { isUndelivered = false, isUnconfirmed, stopReason, tokens }: Extract<Event, { readonly _tag: "PromptAnswered" }>
): Step =>
  endTurn(
    { ...state, prompt: "Delivered" },
    isUnconfirmed
      ? { _tag: isUndelivered && state.stop !== "None" ? "StopNotDelivered" : "StopUnconfirmed" }
      : { _tag: "Answered", stopReason, tokens }
  )

const follow = (state: State): Step =>
  enter(state, "Following", { _tag: "FollowRun" }, ...(state.stop === "Delivered" ? [stopGrace] : []))

const onRunEnded = (
  state: State,
  {
    hasAnswer,
    hasArrived,
    hasFailed,
    isComplete,
    isDeliveryUnknown = false,
    onlyOtherPrompts,
    stopReason
  }: Extract<Event, { readonly _tag: "RunEnded" }>
): Step => {
  const isStopping = state.stop !== "None"
  // Another client's prompt ran, so the session is read again.
  if (onlyOtherPrompts && !hasArrived && !isStopping) return openSession(state, { _tag: "CloseSession" })
  if ((state.prompt === "Unknown" || state.prompt === "NotThere") && !hasAnswer) {
    // A prompt of this session is in its own history, whether or not it arrived.
    const isProof = hasArrived ? state.isComplete : isComplete
    // A new session shows the history alone.
    if (isDeliveryUnknown && isProof) return openSession(state, { _tag: "CloseSession" })
    if (isDeliveryUnknown || !isProof) return endTurn(state, { _tag: "DeliveryUnknown" })
    if (!hasArrived) return prepare({ ...state, prompt: "NotThere" })
  }
  if (hasFailed) return endTurn(state, { _tag: "RunFailed" })
  // The task is at rest, and only the agent or the service can say that it stopped.
  if (isStopping) return endTurn(state, { _tag: stopReason === "cancelled" ? "Stopped" : "EndedAfterStop" })
  return endTurn(state, { _tag: "Answered", stopReason })
}

const onTimerFired = (state: State, timer: Timer): Step => {
  const { _tag } = state.phase
  if (isDecided(state)) return unchanged(state)
  switch (timer) {
    case "GiveUp":
      return state.stop === "None" || _tag === "Prompting" || (_tag === "Following" && state.stop === "Delivered")
        ? unchanged(state)
        : endTurn(state, unreachedOutcome(state))
    case "StopGrace":
      return _tag === "Following" && state.stop === "Delivered"
        ? endTurn(state, { _tag: "StopUnconfirmed" })
        : unchanged(state)
    case "Retry":
      return _tag === "WaitingForService" ? openSession(state) : unchanged(state)
    case "Replay":
      return state.storedEnd === undefined
        ? unchanged(state)
        : endAtOnce(state, { _tag: "Recorded", end: state.storedEnd })
  }
}

const onAttemptFailed = (state: State, event: AttemptFailed): Step => {
  const { phase } = state
  // The outcome is known already; what the session still had to tell is done without.
  if (phase._tag === "Ending") return post(state, phase.outcome)
  if (phase._tag === "Posting") return unchanged(state)
  const closed: State = { ...state, phase: { _tag: "Opening" } }
  return prepend([{ _tag: "CloseSession" }], afterFailure(closed, event))
}

type AttemptFailed = Extract<Event, { readonly _tag: "AttemptFailed" }>

const afterFailure = (state: State, event: AttemptFailed): Step => {
  const { failure } = event
  // It is shown with the next message; but a person who was asked something may still answer.
  if (state.kind === "LateOutput" && !event.hasOpenRequest) return endTurn(state, { _tag: "Failed", text: "" })
  switch (failure._tag) {
    case "Final":
      return endTurn(state, { _tag: "Failed", text: failure.text })
    case "AccountEnded": {
      const { storedEnd, isReplaced } = failure
      const ended: State = { ...state, storedEnd, unavailableSince: undefined }
      if (state.stop !== "None") return endTurn(ended, unreachedOutcome(ended))
      return isReplaced ? openSession(ended) : enter(ended, "WaitingForAccount", { _tag: "AskToConnect" })
    }
    case "Unavailable": {
      const retries = hasRecovered(event) ? 0 : state.retries
      const away: State = {
        ...state,
        prompt: failure.isNotSent ? "NotSent" : failure.isNotDelivered && state.isComplete ? "NotThere" : state.prompt,
        retries: retries + 1,
        unavailableSince: outageStart(state, event)
      }
      if (state.stop !== "None") return endTurn(away, unreachedOutcome(away))
      if (awayMs(state, event) > retryWindowMs) return endTurn(away, { _tag: "Failed", text: failure.text })
      const ms = Math.max(failure.retryAfterMs, Math.min(10_000, 500 * 2 ** retries))
      const showWaiting = { _tag: "ShowWaiting", ...(failure.isCreating === true ? { isCreating: true } : {}) } as const
      return enter(away, "WaitingForService", showWaiting, { _tag: "StartTimer", timer: "Retry", ms })
    }
  }
}
