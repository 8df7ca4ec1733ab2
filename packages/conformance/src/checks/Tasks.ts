import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { at, field, header, jsonObject, noField, refusal, status } from "../Expect.ts"
import { awaitLink, sandboxUrlOf } from "../Fixtures.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Shape from "../Shape.ts"
import { Wire } from "../Wire.ts"
import { statusShape } from "./TaskList.ts"

const createTask = required(
  "4.9",
  "answers 201 with the task as bare JSON",
  Effect.gen(function* () {
    const answer = yield* Api.send(Api.post("/tasks", { prompt: "Say hello.", name: "Conformance: created" }))
    yield* Api.verify(
      answer,
      status(201),
      jsonObject,
      field("task_id", Shape.filled),
      field("status", statusShape()),
      field("link", Shape.optional(Shape.url)),
      field("token", Shape.optional(Shape.filled)),
      field("expire_at", Shape.optional(Shape.futureSeconds)),
      noField("data")
    )
    const asked = yield* Api.send(Api.get(`/tasks/${String(at(answer.json, "task_id"))}`))
    yield* Api.verify(asked, status(200), field("name", Shape.optional(Shape.is("Conformance: created"))))
  }),
  { decisions: [59, 86] }
)

const idempotencyKey = ruling(
  81,
  "4.9",
  "a repeated Idempotency-Key gives the same task",
  Effect.gen(function* () {
    const headers = { "idempotency-key": freshId() }
    const body = { prompt: "Say hello.", name: "Conformance: keyed" }
    const first = yield* Api.send(Api.post("/tasks", body, { headers }))
    const second = yield* Api.send(Api.post("/tasks", body, { headers }))
    yield* Api.verify(first, status(201))
    yield* Api.verify(second, status(201), field("task_id", Shape.is(at(first.json, "task_id"))))
  })
)

const location = ruling(
  81,
  "4.9",
  "Location names the new task",
  Effect.gen(function* () {
    const answer = yield* Api.send(Api.post("/tasks", { prompt: "Say hello.", name: "Conformance: located" }))
    const taskId = encodeURIComponent(String(at(answer.json, "task_id")))
    yield* Api.verify(answer, status(201), header("location", new RegExp(`/openapi/v2/tasks/${taskId}$`)))
  })
)

const defaultName = ruling(
  87,
  "4.9",
  "without a name the task is named by the first line of its prompt, 60 characters at most",
  Effect.gen(function* () {
    const line = `Count the letters of this line: ${"é".repeat(70)}`
    const answer = yield* Api.send(Api.post("/tasks", { prompt: `${line}\nAnd nothing else.` }))
    const task = yield* awaitLink(String(at(answer.json, "task_id")))
    const asked = yield* Api.send(Api.get(`/tasks/${task.taskId}`))
    yield* Api.verify(
      asked,
      field(
        "name",
        Shape.shape(
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

const emptyPrompt = ruling(
  81,
  "4.9",
  "an empty prompt is 400",
  Api.expecting(Api.post("/tasks", { prompt: "" }), refusal(400, "invalid_request"))
)

const oversizedPrompt = ruling(
  26,
  "8",
  "a prompt above 32 KiB is 400",
  Api.expecting(Api.post("/tasks", { prompt: "x".repeat(32 * 1024 + 1) }), refusal(400, "invalid_request"))
)

const oversizedName = ruling(
  26,
  "8",
  "a name above 200 characters is 400",
  Api.expecting(Api.post("/tasks", { prompt: "hello", name: "x".repeat(201) }), refusal(400, "invalid_request"))
)

const nameType = required(
  "7.1",
  "a name that is no string is 400 invalid_request",
  Api.expecting(Api.post("/tasks", { prompt: "hello", name: 7 }), refusal(400, "invalid_request"))
)

const linkAndToken = required(
  "2.7",
  "link and token appear when the task is asked for again",
  asked(field("link", Shape.url), field("token", Shape.filled)),
  { decisions: [75] }
)

const getTask = required(
  "4.11",
  "answers 200 with the task that was asked for",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* Wire).task
    yield* Api.expecting(
      Api.get(`/tasks/${taskId}`),
      status(200),
      jsonObject,
      field("task_id", Shape.is(taskId)),
      field("status", statusShape())
    )
  })
)

const taskName = required(
  "2.7",
  "name is a string where it is there",
  asked(field("name", Shape.optional(Shape.string)))
)

const expiry = required(
  "2.7",
  "expire_at is Unix seconds in the future where it is there",
  asked(field("expire_at", Shape.optional(Shape.futureSeconds)))
)

const sandboxLinks = required(
  "2.7",
  "sandboxLink and sandboxDataLink are addresses where they are there",
  asked(field("sandboxLink", Shape.optional(Shape.url)), field("sandboxDataLink", Shape.optional(Shape.url)))
)

const expiryWithToken = ruling(
  77,
  "5.7",
  "expire_at is always told together with a token",
  asked(field("expire_at", Shape.futureSeconds))
)

const tokenLifetime = ruling(
  77,
  "8",
  "a token lives for 3 days at most",
  asked(
    field(
      "expire_at",
      Shape.shape("at most 3 days away", (value) => Number(value) * 1000 - Date.now() <= 3 * 86_400_000 + 60_000)
    )
  )
)

const stableToken = ruling(
  76,
  "4.11",
  "the same token is given while most of its life is left",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* Wire).task
    const first = yield* Api.send(Api.get(`/tasks/${taskId}`))
    const second = yield* Api.send(Api.get(`/tasks/${taskId}`))
    yield* Api.claim(at(first.json, "token") === at(second.json, "token"), "both answers carry the same token")
  })
)

const sandboxLink = ruling(
  78,
  "2.7",
  "sandboxLink is {sandbox_url}, and sandboxDataLink is absent",
  Effect.gen(function* () {
    const { link, taskId } = yield* (yield* Wire).task
    yield* Api.expecting(
      Api.get(`/tasks/${taskId}`),
      field("sandboxLink", Shape.is(sandboxUrlOf(link))),
      noField("sandboxDataLink")
    )
  })
)

const linkPath = ruling(
  79,
  "4.14",
  "the link ends in /acp",
  Effect.gen(function* () {
    const { link } = yield* (yield* Wire).task
    yield* Api.claim(new URL(link).pathname.endsWith("/acp"), `the link ends in /acp; it is ${link}`)
  })
)

const taskTimestamps = ruling(
  80,
  "2.7",
  "query-one tells created_at and updated_at too",
  asked(field("created_at", Shape.isoTime), field("updated_at", Shape.isoTime))
)

const noNulls = ruling(
  21,
  "2",
  "what is not known is absent, not null",
  asked(({ json }) => (Object.values((json ?? {}) as object).includes(null) ? "no field is null" : undefined))
)

const unknownTask = required(
  "7.1",
  "a task that does not exist is 404 not_found",
  Api.expecting(Api.get("/tasks/00000000-0000-4000-8000-000000000000"), refusal(404, "not_found"))
)

const invalidTaskId = required(
  "7.1",
  "an id of odd characters is 404 not_found",
  Api.expecting(Api.get("/tasks/%2e%2e%2f%00%27%22"), refusal(404, "not_found"))
)

const otherUserNotFound = ruling(
  85,
  "4.11",
  "another user's task is 404 not_found",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* Wire).task
    yield* Api.expecting(Api.get(`/tasks/${taskId}`, { token: "otherAccessToken" }), refusal(404, "not_found"))
  }),
  { needs: ["otherAccessToken"] }
)

const otherUserNoToken = required(
  "4.11",
  "another user does not get the task's token",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* Wire).task
    yield* Api.expecting(Api.get(`/tasks/${taskId}`, { token: "otherAccessToken" }), status(403, 404), noField("token"))
  }),
  { needs: ["otherAccessToken"], decisions: [85] }
)

const notCached = ruling(
  46,
  "4.11",
  "the answer, which carries a token, is not stored by caches",
  asked(header("cache-control", /\bno-store\b/i))
)

/** Creating a task and asking for it (2.7, 4.9, 4.11). */
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

/** Asks for the common task. */
function asked(...wanted: Parameters<typeof Api.verify> extends [unknown, ...infer Rest] ? Rest : never): Check["run"] {
  return Effect.gen(function* () {
    const { taskId } = yield* (yield* Wire).task
    yield* Api.expecting(Api.get(`/tasks/${taskId}`), status(200), ...wanted)
  })
}
