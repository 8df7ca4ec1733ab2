import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import { isoTime } from "../IsoTime.ts"
import type { BearerGuard } from "../oauth/BearerGuard.ts"
import type { Readings } from "../Readings.ts"
import { cutEndedStreams } from "./CutEndedStreams.ts"
import type { Task } from "./Task.ts"
import type { Tasks } from "./Tasks.ts"

const collection = /^\/openapi\/v2\/tasks$/

/** Creating, listing and querying tasks (4.9 to 4.11). */
export const taskEndpoints = (
  tasks: Tasks,
  guard: BearerGuard,
  readings: () => Readings,
  baseUrl: () => string
): ReadonlyArray<Route> => [
  {
    method: "POST",
    path: collection,
    handle: (request) => {
      const person = guard(request, "user.task.invokable")
      const { name, prompt } = request.fields
      if (typeof prompt !== "string" || prompt.trim() === "") throw Refusal.invalid("prompt is required")
      if (name !== undefined && typeof name !== "string") throw Refusal.invalid("name must be a string")
      const task = tasks.create(person, prompt, name)
      return Reply.json(201, taskObject(task, readings(), baseUrl()))
    }
  },
  {
    method: "GET",
    path: collection,
    handle: (request) => {
      const person = guard(request, "user.task.readable")
      const page = positive(request.query.get("page"), 1)
      const size = Math.min(positive(request.query.get("size"), 20), 100)
      const own = tasks.all().filter((task) => task.person === person)
      const ordered = readings().taskOrder === "oldestFirst" ? own : own.toReversed()
      const shown = ordered.slice((page - 1) * size, page * size)
      return Reply.json(200, {
        tasks: shown.map((task) => listItem(task, readings(), baseUrl())),
        total: own.length,
        pagination: { page, size, total: own.length }
      })
    }
  },
  {
    method: "GET",
    path: /^\/openapi\/v2\/tasks\/([^/]+)$/,
    handle: (request, id) => {
      const person = guard(request, "user.task.readable")
      const task = tasks.find(id ?? "")
      if (task === undefined || task.person !== person) throw Refusal.api(404, "not_found", "no such task")
      if (readings().linkMovesOnQuery && task.reachable) {
        task.tickets.move()
        cutEndedStreams(task, readings())
      }
      return Reply.json(200, taskObject(task, readings(), baseUrl()))
    }
  }
]

const positive = (written: string | null, otherwise: number): number =>
  written !== null && /^\d+$/.test(written) && Number(written) >= 1 ? Number(written) : otherwise

const sandboxUrl = (task: Task, baseUrl: string): string => `${baseUrl}/sandboxes/${task.id}/${task.tickets.place}`

const taskObject = (task: Task, readings: Readings, baseUrl: string): Readonly<Record<string, unknown>> => {
  const { expire_at, name, sandboxDataLink, sandboxLink } = chosen(readings)
  const known = { task_id: task.id, status: task.status, ...(name ? { name: task.name } : {}) }
  if (!task.reachable) return known
  const { expiresAt, token } = task.tickets.issue()
  const sandbox = sandboxUrl(task, baseUrl)
  return {
    ...known,
    link: `${sandbox}/acp`,
    token,
    ...(expire_at ? { expire_at: Math.floor(expiresAt / 1000) } : {}),
    ...(sandboxLink ? { sandboxLink: `${sandbox}/control` } : {}),
    ...(sandboxDataLink ? { sandboxDataLink: `${sandbox}/data` } : {})
  }
}

const listItem = (task: Task, readings: Readings, baseUrl: string): Readonly<Record<string, unknown>> => {
  const { created_at, link, name, updated_at } = chosen(readings)
  return {
    task_id: task.id,
    status: task.status,
    ...(name ? { name: task.name } : {}),
    ...(link && task.reachable ? { link: `${sandboxUrl(task, baseUrl)}/acp` } : {}),
    ...(created_at ? { created_at: isoTime(task.createdAt, readings.times) } : {}),
    ...(updated_at ? { updated_at: isoTime(task.updatedAt, readings.times) } : {})
  }
}

const chosen = ({ taskFields }: Readings): Partial<Record<Readings["taskFields"][number], true>> =>
  Object.fromEntries(taskFields.map((field) => [field, true]))
