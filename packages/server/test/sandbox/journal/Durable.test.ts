import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@heddle/core/domain/Task"
import * as ArtifactStore from "@heddle/server/sandbox/artifacts/ArtifactStore"
import type { Channel } from "@heddle/server/sandbox/channel/Channel"
import * as Journal from "@heddle/server/sandbox/journal/Journal"
import { SandboxStore } from "@heddle/server/sandbox/journal/SandboxStore"
import * as Subscribers from "@heddle/server/sandbox/journal/Subscribers"
import * as UnitOfWork from "@heddle/server/sandbox/journal/UnitOfWork"
import * as Recovery from "@heddle/server/sandbox/Recovery"
import { Credits } from "@heddle/server/credits/Credits"
import { Metering } from "@heddle/server/tasks/Metering"
import { TaskStore } from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { withAllRules } from "../../support/AllRules.ts"
import { allRows, failingAtEach } from "../../support/Statements.ts"

const taskId = TaskId.make("t")
const otherId = TaskId.make("other")

/** Two tasks of ada, with a sandbox each. */
const prepared = (clientId: string) =>
  Effect.gen(function* () {
    const [tasks, store] = [yield* TaskStore, yield* SandboxStore]
    for (const id of [taskId, otherId]) {
      yield* tasks.insert({ taskId: id, clientId, userId: "ada", name: id, agent: "default" })
      yield* store.insert({ taskId: id, prompt: "x", held: false })
    }
    return { tasks, store }
  })

/** A client that is live and notes what it is told. */
const joined = (subscribers: Subscribers.Subscribers) => {
  const told: Array<string> = []
  const channel: Channel = {
    id: "c",
    push: (frame) => void told.push(/"text":"(\w+)"/.exec(frame.toString())?.[1] ?? "?"),
    drained: Effect.void,
    close: () => {}
  }
  const subscriber = Subscribers.makeSubscriber(channel)
  subscribers.join(subscriber)
  subscribers.follow(subscriber)
  return told
}

const says = (text: string) => ({ sessionId: taskId, text })

const layer = Layer.mergeAll(Journal.layer, ArtifactStore.layer)

const unitOf = Effect.gen(function* () {
  const [sql, journal] = [yield* SqlClient.SqlClient, yield* Journal.Journal]
  const lastSeq = yield* journal.lastSeq(taskId)
  const subscribers = Subscribers.make(taskId, journal, lastSeq)
  const unitOfWork = UnitOfWork.make(taskId, lastSeq, { sql, journal, subscribers })
  return { journal, unitOfWork, told: joined(subscribers) }
})

describe("a unit of work", () => {
  it.scoped("tells clients nothing that is not stored, whichever statement fails", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const { store, tasks } = yield* prepared(clientId)
        const told: Array<ReadonlyArray<string>> = []
        yield* failingAtEach(
          Effect.gen(function* () {
            const { told: seen, unitOfWork } = yield* unitOf
            told.push(seen)
            unitOfWork.publish("session/update", says("one"))
            unitOfWork.write(store.beginTurn({ turnId: "turn", taskId, messageId: "m" }))
            unitOfWork.write(tasks.transition(taskId, "working"))
            unitOfWork.publish("session/update", says("two"))
            unitOfWork.afterCommit(() => void (seen as Array<string>).push("after"))
            yield* unitOfWork.commit
          }),
          allRows
        )
        const last = told.pop()
        assert.deepStrictEqual(last, ["one", "two", "after"])
        assert.lengthOf(told, 3)
        for (const each of told) assert.deepStrictEqual(each, [], "nothing was stored")
      }).pipe(Effect.provide(layer))
    )
  )

  it.scoped("numbers its entries one after the other, each stored and told once", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        yield* prepared(clientId)
        const { journal, told, unitOfWork } = yield* unitOf
        for (const text of ["one", "two"]) {
          unitOfWork.publish("session/update", says(text))
          yield* unitOfWork.commit
        }
        yield* unitOfWork.commit
        const entries = yield* journal.read(taskId, { after: 0, upTo: 10 })
        assert.deepStrictEqual(
          entries.map(({ params, seq }) => [seq, JSON.parse(String(params)).text]),
          [
            [1, "one"],
            [2, "two"]
          ]
        )
        assert.deepStrictEqual(told, ["one", "two"])
        assert.strictEqual(
          unitOfWork.publishedBytes(),
          entries.reduce((sum, { params }) => sum + params.length, 0)
        )
      }).pipe(Effect.provide(layer))
    )
  )
})

describe("the journals of two tasks", () => {
  it.scoped("are read, measured and deleted apart, page by page", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        yield* prepared(clientId)
        const journal = yield* Journal.Journal
        const entry = (seq: number, text: string) => ({
          seq,
          method: "session/update",
          params: JSON.stringify(says(text))
        })
        yield* journal.append(
          taskId,
          Array.from({ length: 700 }, (_, index) => entry(index + 1, `text${index + 1}`))
        )
        yield* journal.append(otherId, [entry(1, "hers"), entry(2, "too")])
        assert.deepStrictEqual([yield* journal.lastSeq(taskId), yield* journal.lastSeq(otherId)], [700, 2])
        const page = yield* journal.read(taskId, { after: 1, upTo: 700 })
        assert.deepStrictEqual([page[0]?.seq, page.at(-1)?.seq], [2, 501])
        const rest = yield* journal.read(taskId, { after: 698, upTo: 699 })
        assert.deepStrictEqual(
          rest.map(({ seq }) => seq),
          [699]
        )
        assert.isTrue(yield* journal.contains(taskId, "text700"))
        assert.isFalse(yield* journal.contains(otherId, "text700"))
        const { bytes } = yield* journal.summary(otherId)
        assert.strictEqual(bytes, entry(1, "hers").params.length + entry(2, "too").params.length)
        yield* journal.remove(taskId)
        assert.deepStrictEqual([yield* journal.lastSeq(taskId), yield* journal.lastSeq(otherId)], [0, 2])
      }).pipe(Effect.provide(layer))
    )
  )
})

describe("the rows of two sandboxes", () => {
  it.scoped("are changed and deleted apart, and what has ended does not end again", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const { store, tasks } = yield* prepared(clientId)
        const sql = yield* SqlClient.SqlClient
        for (const id of [taskId, otherId]) {
          yield* store.beginTurn({ turnId: `${id} 1`, taskId: id, messageId: `${id} m1` })
          yield* store.beginTurn({ turnId: `${id} 2`, taskId: id, messageId: `${id} m2` })
          yield* store.askPermission({ permissionId: `${id} p`, taskId: id, params: "{}" })
        }
        yield* store.endTurn("t 1", "end_turn")
        yield* store.endTurn("t 1", "error")
        assert.deepStrictEqual(
          [yield* store.openTurns(taskId), yield* store.openTurns(otherId)],
          [["t 2"], ["other 1", "other 2"]]
        )
        assert.strictEqual(yield* store.countTurns(taskId), 2)
        yield* store.closePermission("t p", "allow")
        yield* store.closePermission("t p", "cancelled")
        yield* store.withdrawPermissions(taskId)
        const outcomes = yield* sql`SELECT outcome FROM sandbox_permissions ORDER BY permission_id DESC`
        assert.deepStrictEqual<unknown>(outcomes, [{ outcome: "allow" }, { outcome: null }])
        assert.deepStrictEqual<unknown>(yield* sql`SELECT stop_reason FROM sandbox_turns WHERE turn_id = 't 1'`, [
          { stop_reason: "end_turn" }
        ])
        yield* tasks.transition(taskId, "deleted")
        assert.deepStrictEqual(yield* store.ofDeletedTasks, [taskId])
        yield* store.remove(taskId)
        assert.deepStrictEqual(yield* store.ofDeletedTasks, [])
        assert.isTrue(Option.isSome(yield* store.get(otherId)))
        assert.strictEqual(yield* store.countTurns(otherId), 2)
      })
    )
  )
})

describe("the recovery of a task", () => {
  it.scoped(
    "closes all its open turns and requests in one transaction, charges nothing, and touches no other task",
    () =>
      withAllRules({}, ({ clientId }) =>
        Effect.gen(function* () {
          const { store, tasks } = yield* prepared(clientId)
          const metering = yield* Metering
          const credits = yield* Credits
          yield* credits.addPack({ userId: "ada", size: 9, source: "initial" })
          for (const id of [taskId, otherId]) {
            yield* tasks.transition(id, "working")
            for (const turn of ["1", "2"]) {
              yield* metering.begin({ taskId: id, turnId: `${id} ${turn}` })
              yield* store.beginTurn({ turnId: `${id} ${turn}`, taskId: id, messageId: `${id} m${turn}` })
            }
            yield* store.askPermission({ permissionId: `${id} p`, taskId: id, params: "{}" })
          }
          const cleanUp = yield* Recovery.makeCleanUp
          assert.isTrue(yield* failingAtEach(cleanUp(taskId), allRows))
          assert.deepStrictEqual(
            [yield* store.openTurns(taskId), yield* store.openTurns(otherId)],
            [[], ["other 1", "other 2"]]
          )
          assert.deepStrictEqual(
            (yield* tasks.unfinished).map((task) => task.taskId),
            [otherId]
          )
          assert.strictEqual((yield* credits.quota("ada")).used, 0)
          const sql = yield* SqlClient.SqlClient
          const requests = yield* sql`SELECT outcome FROM sandbox_permissions ORDER BY permission_id DESC`
          assert.deepStrictEqual<unknown>(requests, [{ outcome: "withdrawn" }, { outcome: null }])
          const { length } = yield* (yield* Journal.Journal).read(taskId, { after: 0, upTo: 10 })
          assert.strictEqual(length, 2, "one notice for each turn")
          assert.isFalse(yield* cleanUp(taskId), "there is no open turn any more")
        }).pipe(Effect.provide(layer))
      )
  )
})

describe("a unit of work that failed", () => {
  it.scoped("leaves the next one nothing of it", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        yield* prepared(clientId)
        const sql = yield* SqlClient.SqlClient
        const { told, unitOfWork } = yield* unitOf
        unitOfWork.publish("session/update", says("lost"))
        yield* sql`PRAGMA query_only = ON`
        assert.isTrue(Exit.isFailure(yield* Effect.exit(unitOfWork.commit)))
        yield* sql`PRAGMA query_only = OFF`
        yield* unitOfWork.commit
        assert.deepStrictEqual(told, [])
      }).pipe(Effect.provide(layer))
    )
  )
})
