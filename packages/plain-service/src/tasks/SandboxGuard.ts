import type { ApiRequest } from "../http/ApiRequest.ts"
import type { Refusal } from "../http/Refusal.ts"
import type { Unauthorized } from "../http/Unauthorized.ts"
import type { Task } from "./Task.ts"
import type { Tasks } from "./Tasks.ts"

/** Finds the task of a sandbox address, for which the request must have a valid token (5). */
export type SandboxGuard = (request: ApiRequest, taskId: string, place: string, absent: Refusal) => Task

/** Makes the guard of the channel and of the artifacts; `absent` is the refusal of a session that ended. */
export const sandboxGuard =
  (tasks: Tasks, unauthorized: Unauthorized): SandboxGuard =>
  (request, taskId, place, absent) => {
    const task = tasks.find(taskId)
    if (task === undefined) throw absent
    if (task.tickets.left(place, request.bearer ?? "") === 0) throw unauthorized.refusal("sandbox")
    if (!task.reachable) throw absent
    return task
  }
