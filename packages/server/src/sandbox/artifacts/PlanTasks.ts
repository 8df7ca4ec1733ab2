import { field, isRecord, stringField } from "../../internal/Json.ts"

/** One line of a tasks artifact (contract 2.9). */
export interface PlanTask {
  readonly id: string
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed" | "cancelled"
  readonly order: number
}

/**
 * Turns the entries of an agent's plan into the lines of a task list.
 * Entries have no ids, so a line keeps the id of the line with the same text, else of the one at its place whose text
 * is gone.
 */
export const fromPlan = (entries: ReadonlyArray<unknown>, before: ReadonlyArray<PlanTask>): ReadonlyArray<PlanTask> => {
  const lines = entries.filter(isRecord).map((entry) => ({
    content: stringField(entry, "content") ?? "",
    status: statusOf(field(entry, "status"))
  }))
  const free = new Set(before)
  const take = (fits: (task: PlanTask) => boolean): string | undefined => {
    for (const task of free) {
      if (fits(task)) {
        free.delete(task)
        return task.id
      }
    }
    return undefined
  }
  const sameText = lines.map(({ content }) => take((task) => task.content === content))
  const kept = lines.map((_, order) => sameText[order] ?? take((task) => task.order === order))
  let last = Math.max(0, ...before.map(({ id }) => Number(id.slice(prefix.length)) || 0))
  return lines.map((line, order) => ({ id: kept[order] ?? `${prefix}${(last += 1)}`, ...line, order }))
}

/**
 * Fills in what an agent's own task list lacks: ids, states and order, as of {@link fromPlan}. What else it says
 * stays.
 */
export const complete = (
  told: ReadonlyArray<Readonly<Record<string, unknown>>>,
  before: ReadonlyArray<PlanTask>
): ReadonlyArray<PlanTask> => {
  const own = told.map((task) => stringField(task, "id") || undefined)
  const taken = new Set(own)
  const made = fromPlan(
    told,
    before.filter(({ id }) => !taken.has(id))
  )
  let last = 0
  const free = (id: string): string => {
    let found = id
    while (taken.has(found)) found = `${prefix}${(last += 1)}`
    taken.add(found)
    return found
  }
  return told.map((task, index) => {
    const order = task["order"]
    return {
      ...task,
      id: own[index] ?? free(made[index]?.id ?? prefix),
      content: stringField(task, "content") ?? "",
      status: statusOf(task["status"]),
      order: typeof order === "number" && Number.isFinite(order) ? order : index
    }
  })
}

/**
 * The task list when the work on it has stopped: what was not done is cancelled. Undefined when all of it is over
 * already.
 */
export const stopped = (tasks: ReadonlyArray<PlanTask>): ReadonlyArray<PlanTask> | undefined => {
  const isOver = ({ status }: PlanTask) => status === "completed" || status === "cancelled"
  if (tasks.every(isOver)) return undefined
  return tasks.map((task) => (isOver(task) ? task : { ...task, status: "cancelled" }))
}

const prefix = "task-"

const statusOf = (status: unknown): PlanTask["status"] =>
  status === "in_progress" || status === "completed" || status === "cancelled" ? status : "pending"
