import { field, isRecord, stringField } from "../../internal/Json.ts"

/** One line of a tasks artifact (contract 2.9). */
export interface PlanTask {
  readonly id: string
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed" | "cancelled"
  readonly order: number
}

/**
 * Turns the entries of an agent's plan into the lines of a task list. Entries have no ids. A line keeps the id of the
 * previous line with the same text, else of the line at its place whose text is gone.
 */
export const fromPlan = (
  entries: ReadonlyArray<unknown>,
  previous: ReadonlyArray<PlanTask>
): ReadonlyArray<PlanTask> => {
  const lines = entries.filter(isRecord).map((entry) => ({
    content: stringField(entry, "content") ?? "",
    status: statusOf(field(entry, "status"))
  }))
  const free = new Set(previous)
  const take = (matches: (task: PlanTask) => boolean): string | undefined => {
    for (const task of free) {
      if (matches(task)) {
        free.delete(task)
        return task.id
      }
    }
    return undefined
  }
  const sameText = lines.map(({ content }) => take((task) => task.content === content))
  const ids = lines.map((_, order) => sameText[order] ?? take((task) => task.order === order))
  let lastNumber = Math.max(0, ...previous.map(({ id }) => Number(id.slice(prefix.length)) || 0))
  return lines.map((line, order) => ({ id: ids[order] ?? `${prefix}${(lastNumber += 1)}`, ...line, order }))
}

/**
 * Fills in the missing ids, states and order of an agent's task list, as {@link fromPlan} does. Other fields stay.
 */
export const fillIn = (
  agentTasks: ReadonlyArray<Readonly<Record<string, unknown>>>,
  previous: ReadonlyArray<PlanTask>
): ReadonlyArray<PlanTask> => {
  const ownIds = agentTasks.map((task) => stringField(task, "id") || undefined)
  const usedIds = new Set(ownIds)
  const matched = fromPlan(
    agentTasks,
    previous.filter(({ id }) => !usedIds.has(id))
  )
  let lastNumber = 0
  const uniqueId = (id: string): string => {
    let candidate = id
    while (usedIds.has(candidate)) candidate = `${prefix}${(lastNumber += 1)}`
    usedIds.add(candidate)
    return candidate
  }
  return agentTasks.map((task, index) => {
    const order = task["order"]
    return {
      ...task,
      id: ownIds[index] ?? uniqueId(matched[index]?.id ?? prefix),
      content: stringField(task, "content") ?? "",
      status: statusOf(task["status"]),
      order: typeof order === "number" && Number.isFinite(order) ? order : index
    }
  })
}

/**
 * The task list with its unfinished tasks cancelled; undefined when there are none.
 */
export const cancelUnfinished = (tasks: ReadonlyArray<PlanTask>): ReadonlyArray<PlanTask> | undefined => {
  const isOver = ({ status }: PlanTask) => status === "completed" || status === "cancelled"
  if (tasks.every(isOver)) return undefined
  return tasks.map((task) => (isOver(task) ? task : { ...task, status: "cancelled" }))
}

const prefix = "task-"

const statusOf = (status: unknown): PlanTask["status"] =>
  status === "in_progress" || status === "completed" || status === "cancelled" ? status : "pending"
