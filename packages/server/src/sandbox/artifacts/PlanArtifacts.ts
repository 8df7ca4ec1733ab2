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
  /** Stores the plan in the `update` of a `session/update`. */
  readonly handleUpdate: (update: unknown) => void
  /** Stores the plan in a permission request that ends a plan mode. */
  readonly handlePermissionRequest: (params: unknown) => void
  /** Stores the text of a plan file. */
  readonly putPlan: (uri: string, text: string) => void
  /** The task list of an artifact. */
  readonly tasksOf: (uri: string) => ReadonlyArray<PlanTasks.PlanTask>
  /** Cancels the unfinished tasks of all lists. */
  readonly stopTasks: () => void
}

/** The uri of an artifact that the service makes. */
export const uriOf = (taskId: TaskId, kind: string, key?: string): string =>
  `${ArtifactPath.prefix}${taskId}/${kind}${key === undefined ? "" : `/${encodeURIComponent(key)}`}`

export const md5Of = (text: string): string => createHash("md5").update(text).digest("hex")

/** `readPlan` requests the read of a plan file; {@link PlanArtifacts.putPlan} stores its text. */
export const make = (
  taskId: TaskId,
  records: ArtifactRecords,
  readPlan: (uri: string, file: string) => void
): PlanArtifacts => {
  const reader = AgentPlan.makeReader()

  const tasksOf = (uri: string): ReadonlyArray<PlanTasks.PlanTask> => {
    const lines = records.get(uri)?.body["tasks"]
    return Array.isArray(lines) ? lines : []
  }
  const putTasks = (uri: string, tasks: ReadonlyArray<PlanTasks.PlanTask>) => {
    const md5 = md5Of(JSON.stringify(tasks))
    if (records.getPresent(uri)?.md5 === md5) return
    const body = { name: "tasks", title: "Tasks", mimeType: "application/json", tasks, enableEdit: false }
    records.put({ uri, type: "tasks", md5, body })
  }
  const putPlan = (uri: string, text: string) => {
    if (text.trim() === "" || text.length > ArtifactUpdate.maxChars) return
    const content = PlanText.toContent(uri, text, records.get(uri))
    if (content !== undefined) records.put(content)
  }
  const applyPlan = (plan: AgentPlan.AgentPlan | undefined) => {
    if (plan === undefined) return
    const tasks = uriOf(taskId, "tasks", plan.key)
    const text = uriOf(taskId, "plan", plan.key)
    if (plan._tag === "Tasks") putTasks(tasks, PlanTasks.fromPlan(plan.entries, tasksOf(tasks)))
    else if (plan._tag === "Text") putPlan(text, plan.text)
    else if (plan._tag === "File") readPlan(text, plan.file)
    else for (const uri of [tasks, text]) records.remove(uri)
  }

  return {
    handleUpdate: (update) => applyPlan(reader.readUpdate(update)),
    handlePermissionRequest: (params) => applyPlan(reader.readPermission(params)),
    putPlan: putPlan,
    tasksOf,
    stopTasks: () => {
      for (const { event, type, uri } of records.all()) {
        if (type !== "tasks" || event === "deleted" || !uri.startsWith(uriOf(taskId, "tasks"))) continue
        const tasks = PlanTasks.cancelUnfinished(tasksOf(uri))
        if (tasks !== undefined) putTasks(uri, tasks)
      }
    }
  }
}
