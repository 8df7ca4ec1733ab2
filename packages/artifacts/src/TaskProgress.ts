import type { TaskItem, Tasks } from "./Artifact.ts"

/** How far a task list has come. */
export interface TaskProgress {
  /** The items in the order of the list. */
  readonly items: ReadonlyArray<TaskItem>
  /** How many items there are, cancelled ones left out: the work is over when `done` equals it. */
  readonly total: number
  /** How many items are completed. */
  readonly done: number
  /** How many items have each status, unknown statuses included. */
  readonly byStatus: Readonly<Record<string, number>>
  /** The first item that is in progress. */
  readonly current: TaskItem | undefined
}

/** Counts a task list; items without an `order` keep their place after those that have one. */
export const of = ({ tasks }: Pick<Tasks, "tasks">): TaskProgress => {
  const items = tasks.toSorted((a, b) => orderOf(a) - orderOf(b) || 0)
  const counts = new Map<string, number>([
    ["pending", 0],
    ["in_progress", 0],
    ["completed", 0],
    ["cancelled", 0]
  ])
  for (const { status } of items) counts.set(status, (counts.get(status) ?? 0) + 1)
  return {
    items,
    total: items.length - (counts.get("cancelled") ?? 0),
    done: counts.get("completed") ?? 0,
    byStatus: Object.fromEntries(counts),
    current: items.find(({ status }) => status === "in_progress")
  }
}

const orderOf = ({ order }: TaskItem): number => order ?? Number.POSITIVE_INFINITY
