import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, needing, type Check } from "../Check.ts"
import {
  field,
  header,
  jsonObject,
  noField,
  notStored,
  errorResponse,
  status,
  type Expectation
} from "../Expectation.ts"
import * as Fixtures from "../Fixtures.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Matcher from "../Matcher.ts"
import { knownStatus } from "./TaskList.ts"
import { at } from "../internal/Json.ts"

const invalidRequest = errorResponse(400, "invalid_request")
const notFound = errorResponse(404, "not_found")

const optionalFields = [
  field("link", Matcher.optional(Matcher.url)),
  field("token", Matcher.optional(Matcher.nonEmptyString)),
  field("expire_at", Matcher.optional(Matcher.futureSeconds))
]

const noNull: Expectation = ({ json }) =>
  Object.values((json ?? {}) as object).includes(null) ? "no field is null" : undefined

const creating: ReadonlyArray<Check> = [
  required("4.9", "returns 201 with the task as bare JSON", { decisions: [59, 86] }, function* () {
    const { json } = yield* create(
      { prompt: "Say hello.", name: "Conformance: created" },
      status(201),
      jsonObject,
      field("task_id", Matcher.nonEmptyString),
      field("status", knownStatus()),
      ...optionalFields,
      noField("data")
    )
    const name = field("name", Matcher.optional(Matcher.is("Conformance: created")))
    yield* Api.send(Api.get(`/tasks/${String(at(json, "task_id"))}`), status(200), name)
  }),
  decided("4.9", "a repeated Idempotency-Key returns the same task", { decisions: [81] }, function* () {
    const body = { prompt: "Say hello.", name: "Conformance: keyed" }
    const request = Api.post("/tasks", body, { headers: { "idempotency-key": freshId() } })
    const first = yield* Api.send(request, status(201))
    yield* Api.send(request, status(201), field("task_id", Matcher.is(at(first.json, "task_id"))))
  }),
  decided("4.9", "Location names the new task", { decisions: [81] }, function* () {
    const response = yield* create({ prompt: "Say hello.", name: "Conformance: located" }, status(201))
    const taskId = encodeURIComponent(String(at(response.json, "task_id")))
    yield* Api.verify(response, header("location", new RegExp(`/openapi/v2/tasks/${taskId}$`)))
  }),
  decided(
    "4.9",
    "the default name is the first line of the prompt, at most 60 characters",
    { decisions: [87] },
    function* () {
      const line = `Count the letters of this line: ${"é".repeat(70)}`
      const { json } = yield* create({ prompt: `${line}\nAnd nothing else.` })
      const { taskId } = yield* Fixtures.awaitLink(String(at(json, "task_id")))
      yield* Api.send(Api.get(`/tasks/${taskId}`), field("name", truncated(line)))
    }
  ),
  decided("4.9", "an empty prompt is 400", { decisions: [81] }, create({ prompt: "" }, invalidRequest)),
  decided(
    "8",
    "a prompt above 32 KiB is 400",
    { decisions: [26] },
    create({ prompt: "x".repeat(32 * 1024 + 1) }, invalidRequest)
  ),
  decided(
    "8",
    "a name above 200 characters is 400",
    { decisions: [26] },
    create({ prompt: "hello", name: "x".repeat(201) }, invalidRequest)
  ),
  required(
    "7.1",
    "a name that is not a string is 400 invalid_request",
    create({ prompt: "hello", name: 7 }, invalidRequest)
  )
]

const fields: ReadonlyArray<Check> = [
  required(
    "2.7",
    "a later GET returns link and token",
    { decisions: [75] },
    task(field("link", Matcher.url), field("token", Matcher.nonEmptyString))
  ),
  required("4.11", "returns 200 with the requested task", function* () {
    const { taskId } = yield* Fixtures.task
    yield* task(jsonObject, field("task_id", Matcher.is(taskId)), field("status", knownStatus()))
  }),
  required("2.7", "name is a string when present", task(field("name", Matcher.optional(Matcher.string)))),
  required(
    "2.7",
    "expire_at is Unix seconds in the future when present",
    task(field("expire_at", Matcher.optional(Matcher.futureSeconds)))
  ),
  required(
    "2.7",
    "sandboxLink and sandboxDataLink are URLs when present",
    task(field("sandboxLink", Matcher.optional(Matcher.url)), field("sandboxDataLink", Matcher.optional(Matcher.url)))
  ),
  decided(
    "5.7",
    "expire_at comes with every token",
    { decisions: [77] },
    task(field("expire_at", Matcher.futureSeconds))
  ),
  decided("8", "a token is valid for at most 3 days", { decisions: [77] }, task(field("expire_at", withinDays(3)))),
  decided("4.11", "the same token is returned while most of its lifetime is left", { decisions: [76] }, function* () {
    const [first, second] = [yield* task(), yield* task()]
    yield* Api.assert(at(first.json, "token") === at(second.json, "token"), "both responses carry the same token")
  }),
  decided("4.11", "the link stays where it is when the task is read again", { decisions: [76] }, function* () {
    const [first, second] = [yield* task(), yield* task()]
    yield* Api.assert(at(first.json, "link") === at(second.json, "link"), "both responses have the same link")
  }),
  decided("2.7", "sandboxLink is {sandbox_url}, and sandboxDataLink is absent", { decisions: [78] }, function* () {
    const { sandboxUrl } = yield* Fixtures.task
    yield* task(field("sandboxLink", Matcher.is(sandboxUrl)), noField("sandboxDataLink"))
  }),
  decided("4.14", "the link ends in /acp", { decisions: [79] }, function* () {
    const { link } = yield* Fixtures.task
    yield* Api.assert(new URL(link).pathname.endsWith("/acp"), `the link ends in /acp; it is ${link}`)
  }),
  decided(
    "2.7",
    "GET of one task returns created_at and updated_at",
    { decisions: [80] },
    task(field("created_at", Matcher.isoTime), field("updated_at", Matcher.isoTime))
  ),
  decided("2", "unknown values are absent, not null", { decisions: [21] }, task(noNull))
]

const access: ReadonlyArray<Check> = [
  required(
    "7.1",
    "a task that does not exist is 404 not_found",
    Api.send(Api.get("/tasks/00000000-0000-4000-8000-000000000000"), notFound)
  ),
  required(
    "7.1",
    "an id of special characters is 404 not_found",
    Api.send(Api.get("/tasks/%2e%2e%2f%00%27%22"), notFound)
  ),
  ...needing(
    ["otherAccessToken"],
    [
      decided("4.11", "another user's task is 404 not_found", { decisions: [85] }, taskAsOtherUser(notFound)),
      required(
        "4.11",
        "another user does not get the task's token",
        { decisions: [85] },
        taskAsOtherUser(status(403, 404), noField("token"))
      )
    ]
  ),
  decided("4.11", "the response with a token is not cached", { decisions: [46] }, task(notStored))
]

/** Creating and reading a task (contract 2.7, 4.9, 4.11). */
export const checks = [...creating, ...fields, ...access]

function create(body: Readonly<Record<string, unknown>>, ...expectations: ReadonlyArray<Expectation>) {
  return Api.send(Api.post("/tasks", body), ...expectations)
}

/** Requests the common task. */
function task(...expectations: ReadonlyArray<Expectation>) {
  return Effect.flatMap(Fixtures.task, ({ taskId }) =>
    Api.send(Api.get(`/tasks/${taskId}`), status(200), ...expectations)
  )
}

/** Requests the common task as another user. */
function taskAsOtherUser(...expectations: ReadonlyArray<Expectation>) {
  return Effect.flatMap(Fixtures.task, ({ taskId }) =>
    Api.send(Api.get(`/tasks/${taskId}`, { token: "otherAccessToken" }), ...expectations)
  )
}

function truncated(line: string): Matcher.Matcher {
  return Matcher.matcher("the beginning of the first line, 60 characters at most", (name) => {
    if (typeof name !== "string" || [...name].length > 60) return false
    const beginning = name.replace(/…$/, "").trim()
    return beginning !== "" && line.startsWith(beginning)
  })
}

const dayMs = 86_400_000
const clockToleranceMs = 60_000

function withinDays(days: number): Matcher.Matcher {
  return Matcher.matcher(
    `at most ${days} days away`,
    (value) => Number(value) * 1000 - Date.now() <= days * dayMs + clockToleranceMs
  )
}
