import type { Command, Timer } from "@heddle/bot/turn/machine/Command"
import type { Event } from "@heddle/bot/turn/machine/Event"
import * as Machine from "@heddle/bot/turn/machine/Machine"
import type * as TurnState from "@heddle/bot/turn/machine/State"

export const message: TurnState.Rows = {
  initialPrompt: "auto",
  kind: "Message",
  prompted: false,
  stopAsked: false,
  storedEnd: undefined
}
export const firstPrompt: TurnState.Rows = { ...message, kind: "FirstPrompt" }
export const lateOutput: TurnState.Rows = { ...message, kind: "LateOutput" }
export const done = { _tag: "Done", stopReason: "end_turn", milliseconds: 5, tokens: undefined } as const

export const opened: Event = { _tag: "SessionOpened", storedEnd: undefined }
export const stop: Event = { _tag: "StopAsked" }
export const answered = { _tag: "PromptAnswered", stopReason: "end_turn", isUnconfirmed: false } as const
export const atRest = {
  _tag: "RunEnded",
  onlyOtherPrompts: false,
  hasAnswer: true,
  hasFailed: false,
  hasArrived: true,
  isComplete: true,
  stopReason: "end_turn"
} as const
export const collected: Event = { _tag: "ArtifactsCollected" }
export const posted: Event = { _tag: "EndPosted" }
export const checked = (status: TurnState.TaskStatus, hasArrived = false, isComplete = true) =>
  ({
    _tag: "TaskChecked",
    status,
    hasArrived,
    isComplete,
    isHeld: false,
    isStopOpen: false,
    awaitsAnswer: false,
    hasWaited: false
  }) as const
/** The same, where the service confirms that it holds the first prompt. */
export const held = (...args: Parameters<typeof checked>): Event => ({ ...checked(...args), isHeld: true })
export const failedAttempt = {
  _tag: "AttemptFailed",
  attempt: 1,
  beganAt: 0,
  openedAt: undefined,
  failedAt: 0,
  hasOpenRequest: false
} as const
export const away = (failedAt: number, isNotDelivered = false, attempt = 1): Event => ({
  ...failedAttempt,
  attempt,
  failedAt,
  failure: { _tag: "Unavailable", text: "away", isNotDelivered, isNotSent: false, retryAfterMs: 0 }
})
/** The service took no prompt. */
export const notSent: Event = {
  ...failedAttempt,
  failure: { _tag: "Unavailable", text: "busy", isNotDelivered: false, isNotSent: true, retryAfterMs: 3000 }
}
export const accountEnded = (isReplaced: boolean, storedEnd: TurnState.State["storedEnd"] = undefined): Event => ({
  ...failedAttempt,
  failure: { _tag: "AccountEnded", isReplaced, storedEnd }
})
export const fired = (timer: Timer): Event => ({ _tag: "TimerFired", timer })
export const prompt = [{ type: "text", text: "go on" }] as const
export const send: ReadonlyArray<Event> = [
  { _tag: "PromptPrepared", blocks: prompt },
  { _tag: "PromptRecorded", blocks: prompt }
]

/** Runs a story from the rows of a turn; gives the last state and all commands by name. */
export const tell = (rows: TurnState.Rows, ...events: ReadonlyArray<Event>) => {
  let state = Machine.initial(rows)
  const commands: Array<Command> = []
  for (const event of [{ _tag: "Started" } as const, ...events]) {
    const [next, more] = Machine.step(state, event)
    state = next
    commands.push(...more)
  }
  const outcome = "outcome" in state.phase ? state.phase.outcome : undefined
  return { state, phase: state.phase._tag, outcome, commands, names: commands.map(({ _tag }) => _tag) }
}
