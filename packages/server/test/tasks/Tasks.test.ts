import { assert, describe, it } from "@effect/vitest"
import { NewTask, TaskId } from "@heddle/core/domain/Task"
import { Credits } from "@heddle/server/credits/Credits"
import { Grants } from "@heddle/server/oauth/Grants"
import { Tasks, type Caller } from "@heddle/server/tasks/Tasks"
import { TaskStore } from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { withAllRules } from "../support/AllRules.ts"
import { lockedThroughout } from "../support/Statements.ts"

const create = (caller: Caller, prompt: string, key?: string) =>
  Effect.flatMap(Tasks, (tasks) => tasks.create(caller, new NewTask({ prompt }), key))

const page = (caller: Caller, paging: { readonly page?: string; readonly size?: string } = {}) =>
  Effect.flatMap(Tasks, (tasks) => tasks.list(caller, { page: paging.page, size: paging.size }))

const key = "a-key-of-a-request"
const day = 86_400_000

describe("an idempotency key", () => {
  it.scoped("belongs to one user of one application, and to one request", () =>
    withAllRules({}, ({ clientId, otherClientId, started }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        const first = yield* create(ada, "one", key)
        const again = yield* create(ada, "one", key)
        assert.strictEqual(again.taskId, first.taskId)
        assert.strictEqual((yield* Effect.flip(create(ada, "two", key)))._tag, "Conflict")
        const others = [
          yield* create({ ...ada, clientId: otherClientId }, "one", key),
          yield* create({ ...ada, userId: "bea" }, "one", key),
          yield* create(ada, "one", "another-key-of-a-request"),
          yield* create(ada, "one")
        ].map(({ taskId }) => taskId)
        assert.deepStrictEqual(started, [first.taskId, ...others], "each is another task, and starts once")
        assert.strictEqual(new Set(started).size, 5)
        // Each of the two requests of the other application still has its own.
        const elsewhere = yield* create({ ...ada, clientId: otherClientId }, "one", key)
        assert.strictEqual(elsewhere.taskId, others[0])
      })
    )
  )

  it.scoped("with another body of another application is no conflict, and its repeat gives that task", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        const one = yield* create(ada, "one", key)
        const two = yield* create({ ...ada, clientId: otherClientId }, "two", key)
        assert.strictEqual((yield* create(ada, "one", key)).taskId, one.taskId)
        assert.strictEqual((yield* create({ ...ada, clientId: otherClientId }, "two", key)).taskId, two.taskId)
      })
    )
  )

  it.scoped("is kept for 24 hours, to the millisecond", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        const first = yield* create(ada, "one", key)
        yield* TestClock.adjust(day - 1)
        assert.strictEqual((yield* create(ada, "one", key)).taskId, first.taskId)
        yield* TestClock.adjust(1)
        assert.notStrictEqual((yield* create(ada, "two", key)).taskId, first.taskId)
      })
    )
  )

  it.scoped("makes one task of ten requests at once", () =>
    withAllRules({}, ({ clientId, started }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        const tasks = yield* Effect.all(
          Array.from({ length: 10 }, () => create(ada, "one", key)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(tasks.map(({ taskId }) => taskId)).size, 1)
        assert.lengthOf(started, 1)
      })
    )
  )
})

describe("a task", () => {
  it.scoped("without a key is not created while another process writes", () =>
    withAllRules({}, ({ clientId, dataDir }) =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const list = store.list({ userId: "ada" }, { page: 1, size: 10 })
        // What comes after the transaction reads the task only.
        const stored = Effect.map(list, ({ total }) => total > 0)
        assert.isFalse(yield* stored)
        yield* lockedThroughout(
          dataDir,
          create({ clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }, "one"),
          "INSERT INTO tasks"
        )
        assert.isTrue(yield* stored)
      })
    )
  )

  it.scoped("without credits is not created, and can be created by the same request with credits", () =>
    withAllRules({}, ({ clientId, started }) =>
      Effect.gen(function* () {
        const credits = yield* Credits
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        yield* credits.addPack({ userId: "ada", size: 1, source: "initial" })
        yield* credits.spend({ userId: "ada", amount: 1, reference: "turn" })
        assert.strictEqual((yield* Effect.flip(create(ada, "one", key)))._tag, "AccessDenied")
        assert.deepStrictEqual(started, [])
        yield* credits.addPack({ userId: "ada", size: 1, source: "initial" })
        assert.strictEqual((yield* create(ada, "one", key)).status, "creating")
      })
    )
  )

  it.scoped("is seen by its user and application alone", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        const strangers = [
          { ...ada, clientId: otherClientId },
          { ...ada, userId: "bea" }
        ]
        const { taskId } = yield* create(ada, "one")
        yield* create({ ...ada, userId: "bea" }, "another")
        for (const stranger of strangers) {
          assert.isTrue(Either.isLeft(yield* Effect.either(tasks.get(stranger, taskId))))
          const seen = yield* page(stranger)
          assert.notInclude(
            seen.tasks.map((task) => task.taskId),
            taskId
          )
        }
        assert.strictEqual((yield* tasks.get(ada, taskId)).taskId, taskId)
        assert.deepStrictEqual(
          (yield* page(ada)).tasks.map((task) => task.taskId),
          [taskId]
        )
      })
    )
  )

  it.scoped("that is deleted is no longer found or listed, and the others stay as they are", () =>
    withAllRules({ contract: { showDeleted: false } }, ({ clientId }) =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const tasks = yield* Tasks
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        const [one, two] = [yield* create(ada, "one"), yield* create(ada, "two")]
        yield* store.transition(one.taskId, "deleted")
        yield* store.setName(one.taskId, "")
        assert.isTrue(Either.isLeft(yield* Effect.either(tasks.get(ada, one.taskId))))
        const { tasks: listed, total } = yield* page(ada)
        assert.deepStrictEqual(
          [total, ...listed.map(({ name, status, taskId }) => [taskId, name, status])],
          [1, [two.taskId, "two", "creating"]]
        )
      })
    )
  )

  it.scoped("that is archived has no channel, whatever its sandbox says, and another one has", () =>
    withAllRules({}, ({ clientId, connectable }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const store = yield* TaskStore
        const tasks = yield* Tasks
        const { accessToken } = yield* grants.issue({
          clientId,
          userId: "ada",
          scopes: new Set(["user.task.readable"])
        })
        const ada = {
          clientId,
          userId: "ada",
          grantId: (yield* grants.verify(accessToken)).grantId,
          scopes: new Set<string>()
        }
        const [closed, open] = [yield* create(ada, "one"), yield* create(ada, "two")]
        for (const { taskId } of [closed, open]) {
          connectable.add(taskId)
          yield* store.transition(taskId, "idle")
        }
        yield* store.transition(closed.taskId, "archived")
        const links = yield* Effect.forEach([closed, open], ({ taskId }) => tasks.get(ada, taskId))
        assert.deepStrictEqual(
          links.map(({ link, token }) => [link !== undefined, token !== undefined]),
          [
            [false, false],
            [true, true]
          ]
        )
      })
    )
  )

  it.scoped("of the longest prompt is created, and of a longer one it is not", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        let [least, most] = [0, 10_000_000]
        while (most - least > 1) {
          const half = Math.floor((least + most) / 2)
          const created = yield* Effect.either(create(ada, "x".repeat(half)))
          if (Either.isRight(created)) least = half
          else most = half
        }
        assert.match(
          (yield* Effect.flip(create(ada, "x".repeat(most)))).message,
          new RegExp(`longer than ${least} bytes`)
        )
      })
    )
  )
})

describe("pages of tasks", () => {
  it.scoped("are newest first, at most a hundred, and start with 1", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const ada = { clientId, userId: "ada", grantId: "g", scopes: new Set<string>() }
        const ids: Array<string> = []
        for (let nth = 0; nth < 103; nth++) {
          ids.unshift((yield* create(ada, "x")).taskId)
          yield* TestClock.adjust(1)
        }
        const listed = (paging: Parameters<typeof page>[1]) =>
          Effect.map(page(ada, paging), ({ tasks }) => tasks.map(({ taskId }) => taskId))
        assert.deepStrictEqual(yield* listed({}), ids.slice(0, 20))
        assert.deepStrictEqual(yield* listed({ size: "101" }), ids.slice(0, 100))
        assert.deepStrictEqual(yield* listed({ page: "2", size: "101" }), ids.slice(100))
        assert.deepStrictEqual(yield* listed({ page: "0", size: "2" }), ids.slice(0, 2))
      })
    )
  )
})

describe("TaskStore", () => {
  const add = (taskId: string, clientId: string) =>
    Effect.flatMap(TaskStore, (store) =>
      store.insert({ taskId: TaskId.make(taskId), clientId, userId: "ada", name: taskId, agent: "default" })
    )

  it.scoped("finds all tasks that a lost process left, and those that were archived long enough ago", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const store = yield* TaskStore
        const ways = {
          creating: [],
          idle: ["idle"],
          planning: ["planning"],
          working: ["working"],
          pending: ["working", "pending"],
          completed: ["working", "completed"],
          archived: ["idle", "archived"]
        } as const
        for (const [name, statuses] of Object.entries(ways)) {
          const { taskId } = yield* add(name, clientId)
          for (const status of statuses) assert.isTrue(yield* store.transition(taskId, status), name)
          yield* TestClock.adjust(1)
        }
        const names = (rows: ReadonlyArray<{ readonly name: string }>) => rows.map(({ name }) => name)
        assert.deepStrictEqual(names(yield* store.unfinished), ["creating", "planning", "working", "pending"])
        assert.deepStrictEqual(yield* store.archivedBefore(6), [])
        assert.deepStrictEqual(yield* store.archivedBefore(7), [TaskId.make("archived")])
        const pending = Option.getOrThrow(yield* store.get(TaskId.make("pending")))
        assert.strictEqual(pending.status, "pending", "each task has its own status")
      })
    )
  )
})
