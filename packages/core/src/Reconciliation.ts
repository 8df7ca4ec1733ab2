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
  /** Ids of other tasks, such as those that existed before. */
  readonly except?: Iterable<TaskId>
}

/** The tasks of the list that may be the lost one. */
export interface Reconciliation {
  /**
   * The lost task, where exactly one has its time and its whole name, or the whole prompt as its name. A name that is
   * only the beginning of the prompt makes a candidate: another client's prompt may begin alike.
   */
  readonly task: Option.Option<TaskSummary>
  /** The tasks with its name, or else those created since. Empty where none was created. */
  readonly candidates: ReadonlyArray<TaskSummary>
}

/**
 * Finds the lost task among tasks of the list, by time and name. A service may have cut the name short, or made it from
 * the prompt. Another client's task with the same name cannot be told apart.
 */
export const findLostTask = (lost: LostTask, tasks: ReadonlyArray<TaskSummary>): Reconciliation => {
  const excludedIds = new Set(lost.except)
  const earliest = earliestOf(lost)
  const candidates = tasks.filter((task) => !excludedIds.has(task.taskId) && (createdAt(task) ?? earliest) >= earliest)
  const sameName = candidates.filter((task) => hasName(lost, task))
  // A service keeps the name of a request. A name that it made itself cannot be compared, so only the time counts.
  const createdSince = lost.name === undefined ? candidates.filter((task) => createdAt(task) !== undefined) : []
  const [first, second] = sameName
  const isCertain =
    first !== undefined && second === undefined && createdAt(first) !== undefined && hasWholeName(lost, first)
  return {
    task: isCertain ? Option.some(first) : Option.none(),
    candidates: first === undefined ? createdSince : sameName
  }
}

/**
 * Whether later pages have only tasks from before the lost one: the list is newest first and this whole page is older.
 */
export const isLastPossiblePage = (lost: LostTask, page: ReadonlyArray<TaskSummary>): boolean => {
  const times = page.map(createdAt)
  const earliest = earliestOf(lost)
  return (
    times.every((time, index) => time !== undefined && time < earliest && time <= (times[index - 1] ?? time)) &&
    times.length > 1
  )
}

const earliestOf = ({ since, clockSkew }: LostTask): number =>
  Number(since) - Duration.toMillis(clockSkew ?? "1 minute")

const createdAt = (task: TaskSummary): number | undefined =>
  task.createdAt === undefined ? undefined : IsoTime.toMillis(task.createdAt)

const hasWholeName = (lost: LostTask, { name = "" }: TaskSummary): boolean =>
  collapseSpaces(name) === collapseSpaces(lost.name ?? lost.prompt)

const hasName = (lost: LostTask, { name }: TaskSummary): boolean => {
  const listedName = collapseSpaces(name ?? "")
    .replace(/(?:…|\.{3})$/, "")
    .trimEnd()
  const expectedName = lost.name ?? lost.prompt
  const isCut = listedName.length >= minCutLength && collapseSpaces(expectedName).startsWith(listedName)
  return (
    listedName !== "" &&
    (isCut ||
      listedName === collapseSpaces(expectedName) ||
      listedName === collapseSpaces(expectedName.trim().split("\n", 1)[0] ?? ""))
  )
}

/** A shorter prefix may be the full name of another task. */
const minCutLength = 16

const collapseSpaces = (text: string): string => text.trim().replace(/\s+/g, " ")
