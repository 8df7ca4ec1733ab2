import { assert, describe, it } from "@effect/vitest"
import type { NewPermission } from "@heddle/bot/store/Permissions"
import { Permissions } from "@heddle/bot/store/Permissions"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { permissionRow } from "../support/PermissionRows.ts"
import { withRows } from "../support/Rows.ts"

const row = (permissionId: string, more: Partial<NewPermission> = {}): NewPermission =>
  permissionRow({ permissionId, turnId: "10", deadlineAt: 1000, isKnown: false, ...more })

const yes = { _tag: "Declined" } as const
const nothing = { draft: {}, draftedBy: {}, questionIndex: 0, optionPage: 0 }

const stateOf = (permissionId: string) =>
  Effect.flatMap(Permissions, (permissions) =>
    Effect.map(permissions.find(permissionId), (found) => Option.getOrThrow(found).state)
  )

const add = (permissionId: string, more: Partial<NewPermission> = {}) =>
  Effect.flatMap(Permissions, (permissions) => permissions.findOrAdd(row(permissionId, more), [permissionId], 0))

describe("of several permission requests", () => {
  it.scopedLive("each is answered once, by one person, before its own deadline", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        yield* add("a", { fingerprint: "1" })
        yield* add("b", { fingerprint: "2", deadlineAt: 2000 })
        assert.isFalse(
          yield* permissions.answer("a", yes, { by: "ada", at: 1000 }, 1000),
          "at its deadline it is too late"
        )
        assert.isTrue(yield* permissions.answer("b", yes, { by: "ada", at: 1999 }, 1999))
        assert.isFalse(yield* permissions.answer("b", yes, { by: "bea", at: 1999 }, 1999))
        const answered = Option.getOrThrow(yield* permissions.find("b"))
        assert.deepStrictEqual([answered.answeredBy, answered.answeredAt], ["ada", 1999])
        yield* add("c", { turnId: "11" })
        yield* permissions.expire("10", 999)
        assert.strictEqual(yield* stateOf("a"), "open")
        yield* permissions.expire("10", 1000)
        assert.deepStrictEqual([yield* stateOf("a"), yield* stateOf("c")], ["expired", "open"])
      })
    )
  )

  it.scopedLive("two equal ones have a row each, and a repeated one has the row of its kind", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        const ask = (id: string, others: ReadonlyArray<string>) =>
          Effect.map(permissions.findOrAdd(row(id), others, 0), ({ permissionId }) => permissionId)
        assert.strictEqual(yield* ask("a", []), "a")
        assert.strictEqual(yield* ask("b", ["a"]), "b", "the first one is another request")
        assert.isTrue(yield* permissions.answer("a", yes, { by: "ada", at: 1 }, 1))
        assert.strictEqual(yield* ask("c", []), "b", "an open one comes first")
        assert.strictEqual(yield* ask("c", ["b"]), "a", "then one whose answer never went out")
        assert.deepInclude(Option.getOrThrow(yield* permissions.find("a")), { state: "answered", handedOver: false })
        yield* permissions.markSent("a")
        assert.strictEqual(yield* ask("c", ["b"]), "c", "the service has taken that answer")
        assert.strictEqual(yield* add("d", { turnId: "11" }).pipe(Effect.map((each) => each.turnId)), "11")
      })
    )
  )

  it.scopedLive("one that was withdrawn or not delivered opens again, without its answer", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        yield* add("a")
        yield* permissions.answer("a", yes, { by: "ada", at: 1 }, 1)
        yield* permissions.markUndelivered("a")
        const opened = yield* permissions.findOrAdd(row("b", { deadlineAt: 5000 }), [], 0)
        assert.deepInclude(opened, { permissionId: "a", state: "open", answer: undefined, deadlineAt: 5000 })
      })
    )
  )

  it.scopedLive("one whose answer went out opens again without it, since the agent may have it", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        yield* add("a")
        yield* permissions.answer("a", yes, { by: "ada", at: 1 }, 1)
        yield* permissions.markHandedOver("a")
        const opened = yield* permissions.findOrAdd(row("b", { deadlineAt: 5000 }), [], 0)
        const expected = {
          permissionId: "a",
          state: "open",
          answer: undefined,
          deadlineAt: 5000,
          handedOver: true
        } as const
        assert.deepInclude(opened, expected)
      })
    )
  )

  it.scopedLive("the answer of a known request goes to it once more", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        yield* add("a", { isKnown: true })
        yield* permissions.answer("a", yes, { by: "ada", at: 1 }, 1)
        yield* permissions.markHandedOver("a")
        const again = yield* permissions.findOrAdd(row("b", { isKnown: true }), [], 0)
        assert.deepInclude(again, { permissionId: "a", state: "answered", answer: yes })
      })
    )
  )

  it.scopedLive("an answer is taken back until the service has it, and expires after the deadline", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        for (const id of ["a", "b", "c"]) {
          yield* add(id, { fingerprint: id })
          yield* permissions.answer(id, yes, { by: "ada", at: 1 }, 1)
        }
        yield* permissions.markSent("b")
        yield* permissions.reopen("a", nothing, ["ada"], 999)
        yield* permissions.reopen("b", nothing, ["ada"], 999)
        yield* permissions.reopen("c", nothing, ["ada"], 1000)
        assert.deepStrictEqual(
          [yield* stateOf("a"), yield* stateOf("b"), yield* stateOf("c")],
          ["open", "answered", "expired"]
        )
        assert.isUndefined(Option.getOrThrow(yield* permissions.find("a")).answer)
        yield* permissions.markConfirmed("a")
        assert.isFalse(Option.getOrThrow(yield* permissions.find("a")).confirmed, "nothing of it was sent")
        yield* permissions.markConfirmed("b")
        assert.isTrue(Option.getOrThrow(yield* permissions.find("b")).confirmed)
      })
    )
  )

  it.scopedLive("what happens to one, or to those of a turn, happens to no other", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        yield* add("a", { fingerprint: "a" })
        yield* add("b", { fingerprint: "b" })
        yield* add("c", { fingerprint: "c" })
        yield* add("other", { turnId: "11", threadId: "4" })
        const open = (threadId: string) =>
          Effect.map(permissions.openIn(threadId), (rows) => rows.map(({ permissionId }) => permissionId))
        yield* permissions.withdraw("a")
        assert.isFalse(yield* permissions.markUnshown("a"))
        assert.deepStrictEqual([yield* open("3"), yield* open("4")], [["b", "c"], ["other"]])
        yield* permissions.answer("b", yes, { by: "ada", at: 1 }, 1)
        yield* permissions.withdrawAll("10")
        assert.deepStrictEqual(
          [yield* stateOf("a"), yield* stateOf("b"), yield* stateOf("c"), yield* stateOf("other")],
          ["withdrawn", "answered", "withdrawn", "open"]
        )
        yield* permissions.endTurn("10")
        assert.deepStrictEqual([yield* stateOf("b"), yield* stateOf("other")], ["undelivered", "open"])
      })
    )
  )

  it.scopedLive("two drafts of one request at once are both kept", () =>
    withRows(
      Effect.gen(function* () {
        const permissions = yield* Permissions
        yield* add("a")
        yield* Effect.all(
          ["one", "two", "three"].map((id) =>
            permissions.draft("a", (found) => ({
              ...found,
              draft: { ...found.draft, [id]: id },
              draftedBy: { ...found.draftedBy, [id]: ["ada"] }
            }))
          ),
          { concurrency: "unbounded" }
        )
        const { draft } = Option.getOrThrow(yield* permissions.find("a"))
        assert.deepStrictEqual(draft, { one: "one", two: "two", three: "three" })
        yield* permissions.answer("a", yes, { by: "ada", at: 1 }, 1)
        yield* permissions.draft("a", (found) => ({ ...found, draft: {} }))
        assert.deepStrictEqual(Option.getOrThrow(yield* permissions.find("a")).draft, draft, "it is closed")
      })
    )
  )
})
