import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import { field, jsonObject, noField, notStored, status, type Expectation } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"
import { at, isRecord } from "../internal/Json.ts"

const list = (query = "") => Api.get(`/tasks${query}`)
const page = (value: number) => field("pagination.page", Matcher.is(value))
const size = (value: number) => field("pagination.size", Matcher.is(value))

const success = required("4.10", "returns 200 with a JSON object", Api.expecting(list(), status(200), jsonObject))

const tasksArray = required("4.10", "tasks is an array", Api.expecting(list(), field("tasks", Matcher.array)))

const totalType = required(
  "4.10",
  "total is an integer of 0 or more",
  Api.expecting(list(), field("total", Matcher.count))
)

const paginationFields = required(
  "4.10",
  "pagination has page, size and total as integers",
  Api.expecting(
    list(),
    field("pagination", Matcher.struct({ page: Matcher.positive, size: Matcher.positive, total: Matcher.count }))
  )
)

const defaultPaging = required("4.10", "page defaults to 1 and size to 20", Api.expecting(list(), page(1), size(20)))

const pageMinimum = fallsBackTo("page", page, 1, ["0", "-1", "abc", ""])

const sizeMinimum = fallsBackTo("size", size, 20, ["0", "-5", "abc", ""])

const pageNonDecimal = rejectsFormat("page", page, 1, ["1.5", "1e2", "%2B2", "%202", "0x10", "2.0", "%D9%A2"])

const sizeNonDecimal = rejectsFormat("size", size, 20, ["1.5", "1e1", "%2B2", "%202", "0x10"])

const sizeHundred = required("4.10", "size=100 is 100", Api.expecting(list("?size=100"), status(200), size(100)))

const sizeHundredOne = required(
  "4.10",
  "size=101 counts as 100",
  Api.expecting(list("?size=101"), status(200), size(100))
)

const sizeMillion = required(
  "4.10",
  "size=1000000 counts as 100",
  Api.expecting(list("?size=1000000"), status(200), size(100))
)

const givenPaging = required(
  "4.10",
  "page=2 and size=3 are used",
  Api.expecting(list("?page=2&size=3"), status(200), page(2), size(3))
)

const unknownParameter = decided(
  22,
  "4.10",
  "an unknown query parameter is ignored",
  Api.expecting(list("?colour=red"), status(200), page(1), size(20))
)

const equalTotals = decided(
  82,
  "4.10",
  "total and pagination.total are equal",
  Effect.flatMap(Api.send(list()), (response) =>
    Api.verify(response, status(200), field("total", Matcher.is(at(response.json, "pagination.total"))))
  )
)

const pageAfterEnd = decided(
  83,
  "4.10",
  "a page past the end is 200 with no tasks",
  Api.expecting(list("?page=100000"), status(200), field("tasks", Matcher.sized(0, 0)))
)

const pageFarAfterEnd = decided(
  83,
  "4.10",
  "a page far past the end is 200 with no tasks",
  Api.expecting(list("?page=9007199254740991&size=100"), status(200), field("tasks", Matcher.sized(0, 0)))
)

const singleTask = required(
  "4.10",
  "size=1 returns one task and the total number",
  withTask(
    Api.expecting(list("?size=1"), status(200), field("tasks", Matcher.sized(1, 1)), field("total", Matcher.positive))
  )
)

const taskFields = required(
  "2.8",
  "every element has task_id and status",
  everyTask(Matcher.struct({ task_id: Matcher.filled, status: Matcher.filled }))
)

const optionalFields = required(
  "2.8",
  "name and link are strings when present",
  everyTask(Matcher.struct({ name: Matcher.optional(Matcher.string), link: Matcher.optional(Matcher.url) }))
)

const timestamps = required(
  "2.8",
  "created_at and updated_at are ISO 8601 when present",
  everyTask(
    Matcher.struct({ created_at: Matcher.optional(Matcher.isoTime), updated_at: Matcher.optional(Matcher.isoTime) })
  )
)

const noToken = required("2.8", "no element has token or expire_at", everyTask(Matcher.without("token", "expire_at")))

const knownStatus = required(
  "3",
  "every status is in the table",
  everyTask(Matcher.struct({ status: statusShape() })),
  {
    decisions: [73]
  }
)

const timeFormat = decided(
  24,
  "2.8",
  "times have the format 2026-01-02T03:04:05.678Z",
  everyTask(
    Matcher.struct({ created_at: Matcher.optional(Matcher.matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)) })
  )
)

const newestTaskFirst = decided(
  83,
  "4.10",
  "the newest task comes first",
  Effect.gen(function* () {
    yield* (yield* CheckContext).task
    const response = yield* Api.send(list("?size=100"))
    yield* Api.verify(response, status(200), field("tasks", newestFirst))
  })
)

const createdTaskListed = required(
  "4.10",
  "a created task is in the list",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* CheckContext).task
    const response = yield* Api.send(list("?size=100"))
    yield* Api.verify(response, status(200), has(taskId))
  })
)

const otherUser = required(
  "4.10",
  "another user does not see the task",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* CheckContext).task
    const response = yield* Api.send(Api.get("/tasks?size=100", { token: "otherAccessToken" }))
    yield* Api.verify(response, status(200), hasNot(taskId))
  }),
  { needs: ["otherAccessToken"], decisions: [84] }
)

const bareBody = decided(
  59,
  "4.10",
  "the body of GET /tasks is bare, without an envelope",
  Api.expecting(list(), status(200), noField("data"), noField("code"))
)

const notCached = decided(
  46,
  "4.10",
  "the response to GET /tasks is not cached",
  Api.expecting(list(), status(200), notStored)
)

/** The task list and its paging (contract 2.8, 4.10, 8). */
export const checks: ReadonlyArray<Check> = [
  success,
  tasksArray,
  totalType,
  paginationFields,
  defaultPaging,
  ...pageMinimum,
  ...sizeMinimum,
  ...pageNonDecimal,
  ...sizeNonDecimal,
  sizeHundred,
  sizeHundredOne,
  sizeMillion,
  givenPaging,
  unknownParameter,
  equalTotals,
  pageAfterEnd,
  pageFarAfterEnd,
  singleTask,
  taskFields,
  optionalFields,
  timestamps,
  noToken,
  knownStatus,
  timeFormat,
  newestTaskFirst,
  createdTaskListed,
  otherUser,
  bareBody,
  notCached
]

function fallsBackTo(
  name: string,
  expected: (value: number) => Expectation,
  value: number,
  cases: ReadonlyArray<string>
) {
  return cases.map((given) =>
    required(
      "4.10",
      `${name}=${given} counts as ${value}`,
      Api.expecting(list(`?${name}=${given}`), status(200), expected(value))
    )
  )
}

/** Texts that some parsers read as a number. Only digits are an integer (contract decision 83). */
function rejectsFormat(
  name: string,
  expected: (value: number) => Expectation,
  value: number,
  cases: ReadonlyArray<string>
) {
  return cases.map((given) =>
    decided(
      83,
      "4.10",
      `${name}=${given} is not an integer and counts as ${value}`,
      Api.expecting(list(`?${name}=${given}`), status(200), expected(value))
    )
  )
}

/** Runs after the list has an element. */
function withTask(run: Check["run"]): Check["run"] {
  return Effect.flatMap(CheckContext, (context) => Effect.zipRight(context.task, run))
}

function everyTask(of: Matcher.Matcher) {
  return withTask(
    Api.expecting(list("?size=100"), status(200), field("tasks", Matcher.all(Matcher.sized(1, 100), Matcher.each(of))))
  )
}

/** The states of section 3; CREATING in either case (contract decision 73). */
export function statusShape(): Matcher.Matcher {
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

const newestFirst = Matcher.matcher("ordered by created_at, newest first", (tasks) => {
  const times = Array.isArray(tasks) ? tasks.filter(isRecord).map((task) => Date.parse(String(task["created_at"]))) : []
  return times.length > 0 && times.every((time, index) => index === 0 || time <= Number(times[index - 1]))
})

const ids = (json: unknown) => {
  const tasks = at(json, "tasks")
  return Array.isArray(tasks) ? tasks.filter(isRecord).map((task) => task["task_id"]) : []
}

const has =
  (taskId: string): Expectation =>
  ({ json }) =>
    ids(json).includes(taskId) ? undefined : "the list has the task that was just created"

const hasNot =
  (taskId: string): Expectation =>
  ({ json }) =>
    ids(json).includes(taskId) ? "the list lacks the task of the first user" : undefined
