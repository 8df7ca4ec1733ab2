import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Permission from "@heddle/acp/Permission"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { PendingRequests } from "#internal/session/PendingRequests"

const request = (
  requestId: string,
  more: Partial<Permission.PermissionRequest> = {}
): Permission.PermissionRequest => ({
  requestId,
  form: "permission",
  sessionId: "s",
  options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  questions: [],
  ...more
})

const started = (repeatAnswers = true) => {
  const events: Array<string> = []
  const pending = new PendingRequests({
    deadline: "1 hour",
    repeatAnswers,
    changed: () => {},
    publish: (event) =>
      void events.push(
        `${event._tag} ${event.permission.requestId}${event._tag === "PermissionWithdrawn" ? ` ${event.reason}` : ""}`
      )
  })
  let id = 0
  /** Adds a request; its result comes later. */
  const ask = (each: Permission.PermissionRequest) =>
    Effect.map(
      Effect.fork(pending.add(each, JsonRpc.request(id++, "session/request_permission", {}))),
      (fiber) => fiber
    ).pipe(Effect.tap(() => Effect.yieldNow()))
  return { ask, events, pending }
}

const cancelled = { outcome: { outcome: "cancelled" } }
const yes = { outcome: { outcome: "selected", optionId: "yes" } }

describe("of two open requests", () => {
  it.effect("both are cancelled by a stop, and by the end of their turn", () =>
    Effect.gen(function* () {
      for (const end of ["cancelAll", "turnEnded"] as const) {
        const { ask, events, pending } = started()
        const fibers = [yield* ask(request("a")), yield* ask(request("b"))]
        pending[end]()
        assert.deepStrictEqual<unknown>(yield* Fiber.joinAll(fibers), [cancelled, cancelled])
        const reopened = yield* Effect.flip(pending.answer("a", Permission.selected("yes")))
        assert.strictEqual(reopened._tag, "AlreadyAnswered")
        assert.lengthOf(events, end === "cancelAll" ? 2 : 4)
      }
    })
  )

  it.effect("each ends at its own deadline, to the millisecond", () =>
    Effect.gen(function* () {
      const { ask, events } = started()
      yield* ask(request("a", { expiresAt: 1000 }))
      yield* ask(request("b"))
      const ended = () => events.filter((each) => each.endsWith("expired"))
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(ended(), [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(ended(), ["PermissionWithdrawn a expired"])
      yield* TestClock.adjust(3_599_000)
      assert.deepStrictEqual(ended(), ["PermissionWithdrawn a expired", "PermissionWithdrawn b expired"])
    })
  )

  it.effect(
    "one that is repeated on a new connection, with a later deadline, gets its answer; the other is asked",
    () =>
      Effect.gen(function* () {
        const { ask, pending } = started()
        yield* ask(request("a", { expiresAt: 1000, repeatId: "r" }))
        yield* ask(request("b", { message: "another" }))
        yield* Effect.fork(pending.answer("a", Permission.selected("yes")))
        yield* Effect.yieldNow()
        pending.connectionLost()
        const again = yield* ask(request("c", { expiresAt: 5000, repeatId: "r" }))
        assert.deepStrictEqual<unknown>(yield* Fiber.join(again), yes)
        const other = yield* ask(request("d", { message: "another" }))
        assert.isTrue((yield* Fiber.poll(other))._tag === "None")
        yield* Fiber.interrupt(other)
      })
  )
})
