import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { at, field, header, jsonObject, noField, status, type Expectation } from "../Expect.ts"
import { isRecord } from "../internal/Words.ts"
import * as Shape from "../Shape.ts"
import { Wire } from "../Wire.ts"

const list = (query = "") => Api.get(`/tasks${query}`)
const page = (value: number) => field("pagination.page", Shape.is(value))
const size = (value: number) => field("pagination.size", Shape.is(value))

const success = required("4.10", "answers 200 with a JSON object", Api.expecting(list(), status(200), jsonObject))

const tasksArray = required("4.10", "tasks is an array", Api.expecting(list(), field("tasks", Shape.array)))

const totalType = required("4.10", "total is an integer from 0 up", Api.expecting(list(), field("total", Shape.count)))

const paginationFields = required(
  "4.10",
  "pagination has page, size and total as integers",
  Api.expecting(
    list(),
    field("pagination", Shape.struct({ page: Shape.positive, size: Shape.positive, total: Shape.count }))
  )
)

const defaultPaging = required("4.10", "page is 1 and size 20 when not given", Api.expecting(list(), page(1), size(20)))

const pageMinimum = clamped("page", page, 1, ["0", "-1", "abc", ""])

const sizeMinimum = clamped("size", size, 20, ["0", "-5", "abc", ""])

const pageFormat = read("page", page, 1, ["1.5", "1e2", "%2B2", "%202", "0x10", "2.0", "%D9%A2"])

const sizeFormat = read("size", size, 20, ["1.5", "1e1", "%2B2", "%202", "0x10"])

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
  "page=2 and size=3 are taken",
  Api.expecting(list("?page=2&size=3"), status(200), page(2), size(3))
)

const unknownParameter = ruling(
  22,
  "4.10",
  "a query parameter that is not known is ignored",
  Api.expecting(list("?colour=red"), status(200), page(1), size(20))
)

const equalTotals = ruling(
  82,
  "4.10",
  "total and pagination.total are equal",
  Effect.flatMap(Api.send(list()), (answer) =>
    Api.verify(answer, status(200), field("total", Shape.is(at(answer.json, "pagination.total"))))
  )
)

const pageAfterEnd = ruling(
  83,
  "4.10",
  "a page past the end is 200 with no tasks",
  Api.expecting(list("?page=100000"), status(200), field("tasks", Shape.sized(0, 0)))
)

const pageFarAfterEnd = ruling(
  83,
  "4.10",
  "a page far past the end is 200 with no tasks",
  Api.expecting(list("?page=9007199254740991&size=100"), status(200), field("tasks", Shape.sized(0, 0)))
)

const singleTask = required(
  "4.10",
  "size=1 gives one task, and total says how many there are",
  withTask(
    Api.expecting(list("?size=1"), status(200), field("tasks", Shape.sized(1, 1)), field("total", Shape.positive))
  )
)

const taskFields = required(
  "2.8",
  "every element has task_id and status",
  onItems(Shape.struct({ task_id: Shape.filled, status: Shape.filled }))
)

const optionalFields = required(
  "2.8",
  "name and link are strings where they are there",
  onItems(Shape.struct({ name: Shape.optional(Shape.string), link: Shape.optional(Shape.url) }))
)

const timestamps = required(
  "2.8",
  "created_at and updated_at are ISO 8601 where they are there",
  onItems(Shape.struct({ created_at: Shape.optional(Shape.isoTime), updated_at: Shape.optional(Shape.isoTime) }))
)

const noToken = required("2.8", "no element carries token or expire_at", onItems(Shape.without("token", "expire_at")))

const knownStatus = required(
  "3",
  "every status is one of the table",
  onItems(Shape.struct({ status: statusShape() })),
  {
    decisions: [73]
  }
)

const timeFormat = ruling(
  24,
  "2.8",
  "times are written 2026-01-02T03:04:05.678Z",
  onItems(Shape.struct({ created_at: Shape.optional(Shape.matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)) }))
)

const newestTaskFirst = ruling(
  83,
  "4.10",
  "the newest task comes first",
  Effect.gen(function* () {
    yield* (yield* Wire).task
    const answer = yield* Api.send(list("?size=100"))
    yield* Api.verify(answer, status(200), field("tasks", newestFirst))
  })
)

const createdTaskListed = required(
  "4.10",
  "a task that was created is in the list",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* Wire).task
    const answer = yield* Api.send(list("?size=100"))
    yield* Api.verify(answer, status(200), has(taskId))
  })
)

const otherUser = required(
  "4.10",
  "another user does not see the task",
  Effect.gen(function* () {
    const { taskId } = yield* (yield* Wire).task
    const answer = yield* Api.send(Api.get("/tasks?size=100", { token: "otherAccessToken" }))
    yield* Api.verify(answer, status(200), hasNot(taskId))
  }),
  { needs: ["otherAccessToken"], decisions: [84] }
)

const bareBody = ruling(
  59,
  "4.10",
  "the body of GET /tasks is bare, without an envelope",
  Api.expecting(list(), status(200), noField("data"), noField("code"))
)

const notCached = ruling(
  46,
  "4.10",
  "the answer of GET /tasks is not stored by caches",
  Api.expecting(list(), status(200), header("cache-control", /\bno-store\b/i))
)

/** The task list and its paging (2.8, 4.10, 8). */
export const checks: ReadonlyArray<Check> = [
  success,
  tasksArray,
  totalType,
  paginationFields,
  defaultPaging,
  ...pageMinimum,
  ...sizeMinimum,
  ...pageFormat,
  ...sizeFormat,
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

function clamped(name: string, expected: (value: number) => Expectation, value: number, cases: ReadonlyArray<string>) {
  return cases.map((given) =>
    required(
      "4.10",
      `${name}=${given} counts as ${value}`,
      Api.expecting(list(`?${name}=${given}`), status(200), expected(value))
    )
  )
}

/** Texts that some parsers take for a number: only digits are an integer. */
function read(name: string, expected: (value: number) => Expectation, value: number, cases: ReadonlyArray<string>) {
  return cases.map((given) =>
    ruling(
      83,
      "4.10",
      `${name}=${given} is no whole number and counts as ${value}`,
      Api.expecting(list(`?${name}=${given}`), status(200), expected(value))
    )
  )
}

/** Runs where the list is known to have an element. */
function withTask(run: Check["run"]): Check["run"] {
  return Effect.flatMap(Wire, (wire) => Effect.zipRight(wire.task, run))
}

function onItems(of: Shape.Shape) {
  return withTask(
    Api.expecting(list("?size=100"), status(200), field("tasks", Shape.all(Shape.sized(1, 100), Shape.each(of))))
  )
}

/** The states of section 3; CREATING in either case (decision 73). */
export function statusShape(): Shape.Shape {
  return Shape.oneOf(
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

const newestFirst = Shape.shape("ordered by created_at, newest first", (tasks) => {
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
