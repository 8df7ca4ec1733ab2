import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as IsoTime from "./domain/IsoTime.ts"
import type { TaskId, TaskSummary } from "./domain/Task.ts"

/** A task whose creation got no answer. */
export interface LostTask {
  readonly prompt: string
  readonly name?: string | undefined
  /** When it was sent, by this machine's clock; a number is epoch milliseconds. */
  readonly since: Date | number
  /** How far the service's clock may be behind this one; a minute without it. */
  readonly clockSkew?: Duration.DurationInput
  /** Tasks that are known to be others, such as those that were there before. */
  readonly except?: Iterable<TaskId>
}

/** Which tasks of the list may be the lost one. */
export interface Reconciliation {
  /** The lost task, where exactly one has its name; a task that only its time speaks for is never taken for it. */
  readonly task: Option.Option<TaskSummary>
  /** All that may be it: those with its name, or else those created since. Empty where none was created. */
  readonly candidates: ReadonlyArray<TaskSummary>
}

/**
 * Compares tasks with the lost one. A list item has little to compare: its time, and its name, which a service may have
 * cut short, or made from the beginning of the prompt, or otherwise from the prompt.
 */
export const among = (lost: LostTask, tasks: ReadonlyArray<TaskSummary>): Reconciliation => {
  const others = new Set(lost.except)
  const earliest = earliestOf(lost)
  const possible = tasks.filter((task) => !others.has(task.taskId) && (createdAt(task) ?? earliest) >= earliest)
  const named = possible.filter((task) => hasName(lost, task))
  // A service that was told a name uses it; without one, nothing is known of the name that it thought of.
  const timed = lost.name === undefined ? possible.filter((task) => createdAt(task) !== undefined) : []
  const [first, second] = named
  return {
    task: second === undefined ? Option.fromNullable(first) : Option.none(),
    candidates: first === undefined ? timed : named
  }
}

/** Whether the pages after this one hold only tasks that are too old: the list runs backwards and this page is all older. */
export const endsBefore = (lost: LostTask, page: ReadonlyArray<TaskSummary>): boolean => {
  const times = page.map(createdAt)
  const earliest = earliestOf(lost)
  return (
    times.every((time, n) => time !== undefined && time < earliest && time <= (times[n - 1] ?? time)) &&
    times.length > 1
  )
}

const earliestOf = ({ since, clockSkew }: LostTask): number =>
  Number(since) - Duration.toMillis(clockSkew ?? "1 minute")

const createdAt = (task: TaskSummary): number | undefined =>
  task.createdAt === undefined ? undefined : IsoTime.toMillis(task.createdAt)

const hasName = (lost: LostTask, { name }: TaskSummary): boolean => {
  const shown = plain(name ?? "")
    .replace(/(?:…|\.{3})$/, "")
    .trimEnd()
  const whole = lost.name ?? lost.prompt
  const isCut = shown.length >= shortestCut && plain(whole).startsWith(shown)
  return shown !== "" && (isCut || shown === plain(whole) || shown === plain(whole.trim().split("\n", 1)[0] ?? ""))
}

/** A shorter beginning may be another task's whole name. */
const shortestCut = 16

const plain = (text: string): string => text.trim().replace(/\s+/g, " ")
