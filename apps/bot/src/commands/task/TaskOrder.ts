import type { TaskSummary } from "@heddle/core/domain/Task"

/** Whether a service lists tasks oldest first, as far as their times show; the document names no order (decision 83). */
export const isOldestFirst = (tasks: ReadonlyArray<TaskSummary>): boolean => timeOf(tasks[0]) < timeOf(tasks.at(-1))

const timeOf = (task: TaskSummary | undefined): number => Date.parse(task?.createdAt ?? "")
