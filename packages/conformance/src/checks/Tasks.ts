import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import { field, header, jsonObject, noField, notStored, refusal, status, type Expectation } from "../Expectation.ts"
import { awaitLink, sandboxUrlOf } from "../Fixtures.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Matcher from "../Matcher.ts"
import { statusShape } from "./TaskList.ts"
import { at } from "../internal/Json.ts"

const createTask = required(
  "4.9",
  "returns 201 with the task as bare JSON",
  Effect.gen(function* () {
    const response = yield* Api.send(Api.post("/tasks", { prompt: "Say hello.", name: "Conformance: created" }))
    yield* Api.verify(
      response,
      status(201),
      jsonObject,
      field("task_id", Matcher.filled),
      field("status", statusShape()),
      field("link", Matcher.optional(Matcher.url)),
      field("token", Matcher.optional(Matcher.filled)),
      field("expire_at", Matcher.optional(Matcher.futureSeconds)),
      noField("data")
    )
    const task = yield* Api.send(Api.get(`/tasks/${String(at(response.json, "task_id"))}`))
    yield* Api.verify(task, status(200), field("name", Matcher.optional(Matcher.is("Conformance: created"))))
  }),
  { decisions: [59, 86] }
)

const idempotencyKey = decided(
  81,
  "4.9",
  "a repeated Idempotency-Key returns the same task",
  Effect.gen(function* () {
    const headers = { "idempotency-key": freshId() }
    const body = { prompt: "Say hello.", name: "Conformance: keyed" }
    const first = yield* Api.send(Api.post("/tasks", body, { headers }))
    const second = yield* Api.send(Api.post("/tasks", body, { headers }))
    yield* Api.verify(first, status(201))
    yield* Api.verify(second, status(201), field("task_id", Matcher.is(at(first.json, "task_id"))))
  })
)

const location = decided(
  81,
  "4.9",
  "Location names the new task",
  Effect.gen(function* () {
    const response = yield* Api.send(Api.post("/tasks", { prompt: "Say hello.", name: "Conformance: located" }))
    const taskId = encodeURIComponent(String(at(response.json, "task_id")))
    yield* Api.verify(response, status(201), header("location", new RegExp(`/openapi/v2/tasks/${taskId}$`)))
  })
)

const defaultName = decided(
  87,
  "4.9",
  "the default name is the first line of the prompt, at most 60 characters",
  Effect.gen(function* () {
    const line = `Count the letters of this line: ${"é".repeat(70)}`
    const response = yield* Api.send(Api.post("/tasks", { prompt: `${line}\nAnd nothing else.` }))
    const { taskId } = yield* awaitLink(String(at(response.json, "task_id")))
    const task = yield* Api.send(Api.get(`/tasks/${taskId}`))
    yield* Api.verify(
      task,
      field(
        "name",
        Matcher.matcher(
          "the beginning of the first line, 60 characters at most",
          (name) =>
            typeof name === "string" &&
            [...name].length <= 60 &&
            name.replace(/…$/, "").trim() !== "" &&
            line.startsWith(name.replace(/…$/, "").trim())
        )
      )
    )
  })
)

const emptyPrompt = decided(
  81,
  "4.9",
  "an empty prompt is 400",
  Api.expecting(Api.post("/tasks", { prompt: "" }), refusal(400, "invalid_request"))
)

const oversizedPrompt = decided(
  26,
  "8",
  "a prompt above 32 KiB is 400",
  Api.expecting(Api.post("/tasks", { prompt: "x".repeat(32 * 1024 + 1) }), refusal(400, "invalid_request"))
)

const oversizedName = decided(
  26,
  "8",
  "a name above 200 characters is 400",
  Api.expecting(Api.post("/tasks", { prompt: "hello", name: "x".repeat(201) }), refusal(400, "invalid_request"))
)

const nameType = required(
  "7.1",
  "a name that is not a string is 400 invalid_request",
  Api.expecting(Api.post("/tasks", { prompt: "hello", name: 7 }), refusal(400, "invalid_request"))
)

const linkAndToken = required(
  "2.7",
  "a later GET returns link and token",
  expectTask(field("link", Matcher.url), field("token", Matcher.filled)),
  { decisions: [75] }
)

const getTask = required(
  "4.11",
  "returns 200 with the requested task",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* CheckContext).task
    yield* Api.expecting(
      Api.get(`/tasks/${taskId}`),
      status(200),
      jsonObject,
      field("task_id", Matcher.is(taskId)),
      field("status", statusShape())
    )
  })
)

const taskName = required(
  "2.7",
  "name is a string when present",
  expectTask(field("name", Matcher.optional(Matcher.string)))
)

const expiry = required(
  "2.7",
  "expire_at is Unix seconds in the future when present",
  expectTask(field("expire_at", Matcher.optional(Matcher.futureSeconds)))
)

const sandboxLinks = required(
  "2.7",
  "sandboxLink and sandboxDataLink are URLs when present",
  expectTask(
    field("sandboxLink", Matcher.optional(Matcher.url)),
    field("sandboxDataLink", Matcher.optional(Matcher.url))
  )
)

const expiryWithToken = decided(
  77,
  "5.7",
  "expire_at comes with every token",
  expectTask(field("expire_at", Matcher.futureSeconds))
)

const tokenLifetime = decided(
  77,
  "8",
  "a token is valid for at most 3 days",
  expectTask(
    field(
      "expire_at",
      Matcher.matcher("at most 3 days away", (value) => Number(value) * 1000 - Date.now() <= 3 * 86_400_000 + 60_000)
    )
  )
)

const stableToken = decided(
  76,
  "4.11",
  "the same token is returned while most of its lifetime is left",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* CheckContext).task
    const first = yield* Api.send(Api.get(`/tasks/${taskId}`))
    const second = yield* Api.send(Api.get(`/tasks/${taskId}`))
    yield* Api.assert(at(first.json, "token") === at(second.json, "token"), "both responses carry the same token")
  })
)

const sandboxLink = decided(
  78,
  "2.7",
  "sandboxLink is {sandbox_url}, and sandboxDataLink is absent",
  Effect.gen(function* () {
    const { link, taskId } = yield* (yield* CheckContext).task
    yield* Api.expecting(
      Api.get(`/tasks/${taskId}`),
      field("sandboxLink", Matcher.is(sandboxUrlOf(link))),
      noField("sandboxDataLink")
    )
  })
)

const linkPath = decided(
  79,
  "4.14",
  "the link ends in /acp",
  Effect.gen(function* () {
    const { link } = yield* (yield* CheckContext).task
    yield* Api.assert(new URL(link).pathname.endsWith("/acp"), `the link ends in /acp; it is ${link}`)
  })
)

const taskTimestamps = decided(
  80,
  "2.7",
  "GET of one task returns created_at and updated_at",
  expectTask(field("created_at", Matcher.isoTime), field("updated_at", Matcher.isoTime))
)

const noNulls = decided(
  21,
  "2",
  "unknown values are absent, not null",
  expectTask(({ json }) => (Object.values((json ?? {}) as object).includes(null) ? "no field is null" : undefined))
)

const unknownTask = required(
  "7.1",
  "a task that does not exist is 404 not_found",
  Api.expecting(Api.get("/tasks/00000000-0000-4000-8000-000000000000"), refusal(404, "not_found"))
)

const invalidTaskId = required(
  "7.1",
  "an id of special characters is 404 not_found",
  Api.expecting(Api.get("/tasks/%2e%2e%2f%00%27%22"), refusal(404, "not_found"))
)

const otherUserNotFound = decided(
  85,
  "4.11",
  "another user's task is 404 not_found",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* CheckContext).task
    yield* Api.expecting(Api.get(`/tasks/${taskId}`, { token: "otherAccessToken" }), refusal(404, "not_found"))
  }),
  { needs: ["otherAccessToken"] }
)

const otherUserNoToken = required(
  "4.11",
  "another user does not get the task's token",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* CheckContext).task
    yield* Api.expecting(Api.get(`/tasks/${taskId}`, { token: "otherAccessToken" }), status(403, 404), noField("token"))
  }),
  { needs: ["otherAccessToken"], decisions: [85] }
)

const notCached = decided(46, "4.11", "the response with a token is not cached", expectTask(notStored))

/** Creating and reading a task (contract 2.7, 4.9, 4.11). */
export const checks: ReadonlyArray<Check> = [
  createTask,
  idempotencyKey,
  location,
  defaultName,
  emptyPrompt,
  oversizedPrompt,
  oversizedName,
  nameType,
  linkAndToken,
  getTask,
  taskName,
  expiry,
  sandboxLinks,
  expiryWithToken,
  tokenLifetime,
  stableToken,
  sandboxLink,
  linkPath,
  taskTimestamps,
  noNulls,
  unknownTask,
  invalidTaskId,
  otherUserNotFound,
  otherUserNoToken,
  notCached
]

/** Requests the common task. */
function expectTask(...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.gen(function* () {
    const { taskId } = yield* (yield* CheckContext).task
    yield* Api.expecting(Api.get(`/tasks/${taskId}`), status(200), ...wanted)
  })
}
