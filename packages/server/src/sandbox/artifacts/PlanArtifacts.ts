import type { TaskId } from "@heddle/core/domain/Task"
import { createHash } from "node:crypto"
import * as AgentPlan from "./AgentPlan.ts"
import * as ArtifactPath from "./ArtifactPath.ts"
import * as ArtifactUpdate from "./ArtifactUpdate.ts"
import * as PlanTasks from "./PlanTasks.ts"
import * as PlanText from "./PlanText.ts"
import type { ArtifactRecords } from "./ArtifactRecords.ts"

/** The plans and task lists of a session, taken from the agent's updates. */
export interface PlanArtifacts {
  /** Takes the plans out of the `update` of a `session/update`. */
  readonly updated: (update: unknown) => void
  /** Takes the plan out of a permission request that ends a plan mode. */
  readonly asked: (params: unknown) => void
  /** Takes the text of a plan that the agent keeps in a file. */
  readonly planRead: (uri: string, text: string) => void
  /** The task list of an artifact. */
  readonly tasksOf: (uri: string) => ReadonlyArray<PlanTasks.PlanTask>
  /** Cancels what is left of the task lists. */
  readonly stopTasks: () => void
}

/** The uri of an artifact that the service makes itself. */
export const uriOf = (taskId: TaskId, kind: string, key?: string): string =>
  `${ArtifactPath.prefix}${taskId}/${kind}${key === undefined ? "" : `/${encodeURIComponent(key)}`}`

export const md5Of = (text: string): string => createHash("md5").update(text).digest("hex")

/** `readPlan` has a plan read that the agent keeps in a file; {@link PlanArtifacts.planRead} takes it. */
export const make = (
  taskId: TaskId,
  records: ArtifactRecords,
  readPlan: (uri: string, file: string) => void
): PlanArtifacts => {
  const reader = AgentPlan.reader()

  const tasksOf = (uri: string): ReadonlyArray<PlanTasks.PlanTask> => {
    const lines = records.get(uri)?.body["tasks"]
    return Array.isArray(lines) ? lines : []
  }
  const putTasks = (uri: string, tasks: ReadonlyArray<PlanTasks.PlanTask>) => {
    const md5 = md5Of(JSON.stringify(tasks))
    if (records.present(uri)?.md5 === md5) return
    const body = { name: "tasks", title: "Tasks", mimeType: "application/json", tasks, enableEdit: false }
    records.put({ uri, type: "tasks", md5, body })
  }
  const putPlan = (uri: string, text: string) => {
    if (text.trim() === "" || text.length > ArtifactUpdate.longest) return
    const content = PlanText.toContent(uri, text, records.get(uri))
    if (content !== undefined) records.put(content)
  }
  const take = (plan: AgentPlan.AgentPlan | undefined) => {
    if (plan === undefined) return
    const tasks = uriOf(taskId, "tasks", plan.key)
    const text = uriOf(taskId, "plan", plan.key)
    if (plan._tag === "Tasks") putTasks(tasks, PlanTasks.fromPlan(plan.entries, tasksOf(tasks)))
    else if (plan._tag === "Text") putPlan(text, plan.text)
    else if (plan._tag === "File") readPlan(text, plan.file)
    else for (const uri of [tasks, text]) records.remove(uri)
  }

  return {
    updated: (update) => take(reader.update(update)),
    asked: (params) => take(reader.permission(params)),
    planRead: putPlan,
    tasksOf,
    stopTasks: () => {
      for (const { event, type, uri } of records.all()) {
        if (type !== "tasks" || event === "deleted" || !uri.startsWith(uriOf(taskId, "tasks"))) continue
        const tasks = PlanTasks.stopped(tasksOf(uri))
        if (tasks !== undefined) putTasks(uri, tasks)
      }
    }
  }
}
