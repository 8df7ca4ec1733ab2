import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as AccessToken from "@heddle/core/AccessToken"
import { TaskId } from "@heddle/core/domain/Task"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Tasks from "@heddle/core/Tasks"
import * as Users from "@heddle/core/Users"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { request } from "undici"

interface Run {
  readonly millis: number
  readonly concurrency: number
  readonly operation: "profile" | "task"
  /** How the other side answers. */
  readonly shape: "plain" | "chunked" | "compressed"
  readonly url: string
}

/** Calls an operation once and reads its answer. */
type Call = () => Promise<void>

/** An operation at the base URL of a service. */
type Target = { readonly operation: Run["operation"]; readonly url: string }

const token = "oa_at_0000000000000000000000000000000000000000000"
const headers = { authorization: `Bearer ${token}`, accept: "application/json" }
const paths = { profile: "/openapi/v2/user/profile", task: "/openapi/v2/tasks/task_1" }
const taskId = TaskId.make("task_1")

const callers: Readonly<Record<string, (target: Target) => Call>> = {
  undici:
    ({ operation, url }) =>
    async () => {
      const { body, statusCode } = await request(url + paths[operation], { headers })
      read(statusCode, await body.text())
    },
  fetch:
    ({ operation, url }) =>
    async () => {
      const response = await fetch(url + paths[operation], { headers })
      read(response.status, await response.text())
    },
  "heddle-undici": (target) => heddle(target, NodeHttpClient.layerUndici),
  "heddle-fetch": (target) => heddle(target, FetchHttpClient.layer)
}

const read = (status: number, text: string) => {
  if (status !== 200 || typeof JSON.parse(text) !== "object") throw new Error(`the server answered ${status}`)
}

const heddle = ({ operation, url }: Target, http: typeof FetchHttpClient.layer): Call => {
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(Users.layer, Tasks.layer).pipe(
      Layer.provide(OpenApiClient.layer({ baseUrl: url })),
      Layer.provide([http, AccessToken.layer(Redacted.make(token))])
    )
  )
  const call: Effect.Effect<unknown, OpenApiError, Users.Users | Tasks.Tasks> =
    operation === "profile"
      ? Effect.flatMap(Users.Users, (users) => users.profile)
      : Effect.flatMap(Tasks.Tasks, (tasks) => tasks.get(taskId))
  return () => runtime.runPromise(Effect.asVoid(call))
}

/** Calls again and again until the time is over; tells how many were answered. */
const drive = async (call: Call, { concurrency, millis }: Run): Promise<number> => {
  const until = performance.now() + millis
  let answered = 0
  const one = async () => {
    do {
      await call()
      answered++
    } while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  return answered
}

const made = new Map<string, Call>()

process.on("message", async ({ run }: { readonly run?: Run }) => {
  if (run === undefined) return
  const caller = callers[process.argv[2] ?? ""]
  if (caller === undefined) throw new Error(`no caller named ${process.argv[2]}`)
  const { operation, shape, url } = run
  const name = `${operation} ${shape}`
  const call = made.get(name) ?? caller({ operation, url: `${url}/${shape}` })
  made.set(name, call)
  process.send?.({ done: await drive(call, run) })
})
process.send?.({ ready: {} })
