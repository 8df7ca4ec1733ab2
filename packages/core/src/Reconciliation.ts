import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as IsoTime from "./domain/IsoTime.ts"
import type { TaskId, TaskSummary } from "./domain/Task.ts"

/** A task whose creation got no answer. */
export interface LostTask {
  readonly prompt: string
  readonly name?: string | undefined
  /** When it was sent, by the clock of this machine; a number is epoch milliseconds. */
  readonly since: Date | number
  /** How far the clock of the service may be behind; one minute by default. */
  readonly clockSkew?: Duration.DurationInput
  /** Tasks that are known to be different, such as those that existed before. */
  readonly except?: Iterable<TaskId>
}

/** The tasks of the list that may be the lost one. */
export interface Reconciliation {
  /** The lost task, where exactly one has its name. A task that matches by its time alone is only a candidate. */
  readonly task: Option.Option<TaskSummary>
  /** The tasks with its name, or else those created since. Empty where none was created. */
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
  // A service uses a name that it was given; a name of its own making cannot be compared.
  const timed = lost.name === undefined ? possible.filter((task) => createdAt(task) !== undefined) : []
  const [first, second] = named
  return {
    task: second === undefined ? Option.fromNullable(first) : Option.none(),
    candidates: first === undefined ? timed : named
  }
}

/**
 * Whether the pages after this one hold only tasks that are too old: the list runs backwards and this page is all
 * older.
 */
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
  const isCut = shown.length >= minCutLength && plain(whole).startsWith(shown)
  return shown !== "" && (isCut || shown === plain(whole) || shown === plain(whole.trim().split("\n", 1)[0] ?? ""))
}

/** A shorter beginning may be another task's whole name. */
const minCutLength = 16

const plain = (text: string): string => text.trim().replace(/\s+/g, " ")
