import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { field, jsonObject, noField, notStored, status, type Expectation } from "../Expectation.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Matcher from "../Matcher.ts"
import { at, isRecord } from "../internal/Json.ts"

const page = (value: number) => field("pagination.page", Matcher.is(value))
const size = (value: number) => field("pagination.size", Matcher.is(value))
const noTasks = field("tasks", Matcher.ofLength(0, 0))
const utcMilliseconds = Matcher.matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const listFields: ReadonlyArray<Check> = [
  required("4.10", "returns 200 with a JSON object", list("", jsonObject)),
  required("4.10", "tasks is an array", list("", field("tasks", Matcher.array))),
  required("4.10", "total is an integer of 0 or more", list("", field("total", Matcher.nonNegativeInteger))),
  required(
    "4.10",
    "pagination has page, size and total as integers",
    list(
      "",
      field(
        "pagination",
        Matcher.struct({
          page: Matcher.positiveInteger,
          size: Matcher.positiveInteger,
          total: Matcher.nonNegativeInteger
        })
      )
    )
  )
]

const paging: ReadonlyArray<Check> = [
  required("4.10", "page defaults to 1 and size to 20", list("", page(1), size(20))),
  ...["0", "-1", "abc", ""].map((text) => fallsBackTo("page", text, 1, page(1))),
  ...["0", "-5", "abc", ""].map((text) => fallsBackTo("size", text, 20, size(20))),
  ...["1.5", "1e2", "%2B2", "%202", "0x10", "2.0", "%D9%A2"].map((text) => ignoresFormat("page", text, 1, page(1))),
  ...["1.5", "1e1", "%2B2", "%202", "0x10"].map((text) => ignoresFormat("size", text, 20, size(20))),
  required("4.10", "size=100 is 100", list("?size=100", size(100))),
  required("4.10", "size=101 counts as 100", list("?size=101", size(100))),
  required("4.10", "size=1000000 counts as 100", list("?size=1000000", size(100))),
  required("4.10", "page=2 and size=3 are used", list("?page=2&size=3", page(2), size(3))),
  decided("4.10", "an unknown query parameter is ignored", { decisions: [22] }, list("?colour=red", page(1), size(20))),
  decided("4.10", "total and pagination.total are equal", { decisions: [82] }, function* () {
    const response = yield* list("")
    yield* Api.verify(response, field("total", Matcher.is(at(response.json, "pagination.total"))))
  }),
  decided("4.10", "a page past the end is 200 with no tasks", { decisions: [83] }, list("?page=100000", noTasks)),
  decided(
    "4.10",
    "a page far past the end is 200 with no tasks",
    { decisions: [83] },
    list("?page=9007199254740991&size=100", noTasks)
  ),
  required("4.10", "size=1 returns one task and the total number", function* () {
    yield* Fixtures.task
    yield* list("?size=1", field("tasks", Matcher.ofLength(1, 1)), field("total", Matcher.positiveInteger))
  })
]

const elements: ReadonlyArray<Check> = [
  required(
    "2.8",
    "every element has task_id and status",
    everyTask(Matcher.struct({ task_id: Matcher.nonEmptyString, status: Matcher.nonEmptyString }))
  ),
  required(
    "2.8",
    "name and link are strings when present",
    everyTask(Matcher.struct({ name: Matcher.optional(Matcher.string), link: Matcher.optional(Matcher.url) }))
  ),
  required(
    "2.8",
    "created_at and updated_at are ISO 8601 when present",
    everyTask(
      Matcher.struct({ created_at: Matcher.optional(Matcher.isoTime), updated_at: Matcher.optional(Matcher.isoTime) })
    )
  ),
  required("2.8", "no element has token or expire_at", everyTask(Matcher.without("token", "expire_at"))),
  required(
    "3",
    "every status is in the table",
    { decisions: [73] },
    everyTask(Matcher.struct({ status: knownStatus() }))
  ),
  decided(
    "2.8",
    "times have the format 2026-01-02T03:04:05.678Z",
    { decisions: [24] },
    everyTask(Matcher.struct({ created_at: Matcher.optional(utcMilliseconds) }))
  ),
  decided("4.10", "the newest task comes first", { decisions: [83] }, function* () {
    yield* Fixtures.task
    yield* list("?size=100", field("tasks", Matcher.newestFirst))
  }),
  required("4.10", "a created task is in the list", function* () {
    const { taskId } = yield* Fixtures.task
    const { json } = yield* list("?size=100")
    yield* Api.assert(ids(json).includes(taskId), "the list has the task that was just created")
  }),
  required(
    "4.10",
    "another user does not see the task",
    { needs: ["otherAccessToken"], decisions: [84] },
    function* () {
      const { taskId } = yield* Fixtures.task
      const { json } = yield* Api.send(Api.get("/tasks?size=100", { token: "otherAccessToken" }), status(200))
      yield* Api.assert(!ids(json).includes(taskId), "the list lacks the task of the first user")
    }
  ),
  decided(
    "4.10",
    "the body of GET /tasks is bare, without an envelope",
    { decisions: [59] },
    list("", noField("data"), noField("code"))
  ),
  decided("4.10", "the response to GET /tasks is not cached", { decisions: [46] }, list("", notStored))
]

/** The task list and its paging (contract 2.8, 4.10, 8). */
export const checks = [...listFields, ...paging, ...elements]

/** Requests the list, which is always 200. */
function list(query: string, ...expectations: ReadonlyArray<Expectation>) {
  return Api.send(Api.get(`/tasks${query}`), status(200), ...expectations)
}

function fallsBackTo(name: string, text: string, value: number, expectation: Expectation) {
  return required("4.10", `${name}=${text} counts as ${value}`, list(`?${name}=${text}`, expectation))
}

/** A text that some parsers read as a number. Only digits are an integer (contract decision 83). */
function ignoresFormat(name: string, text: string, value: number, expectation: Expectation) {
  const rule = `${name}=${text} is not an integer and counts as ${value}`
  return decided("4.10", rule, { decisions: [83] }, list(`?${name}=${text}`, expectation))
}

/** Lists at least one task and checks every one. */
function everyTask(matcher: Matcher.Matcher): Run {
  const tasks = Matcher.all(Matcher.ofLength(1, 100), Matcher.each(matcher))
  return Effect.zipRight(Fixtures.task, list("?size=100", field("tasks", tasks)))
}

/** The states of section 3; CREATING in either case (contract decision 73). */
export function knownStatus(): Matcher.Matcher {
  return Matcher.oneOf(
    "CREATING",
    "creating",
    "idle",
    "planning",
    "working",
    "pending",
    "completed",
    "failed",
    "archived",
    "deleted"
  )
}

function ids(json: unknown) {
  const tasks = at(json, "tasks")
  return Array.isArray(tasks) ? tasks.filter(isRecord).map((task) => task["task_id"]) : []
}
