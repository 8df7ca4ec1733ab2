import { assert, describe, it } from "@effect/vitest"
import { Devices } from "@heddle/server/oauth/Devices"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { withAllRules } from "../support/AllRules.ts"
import { watched } from "../support/Statements.ts"

const scopes = new Set(["user.task.readable"])

/** How a call ends: `ok`, or the tag of its error. */
const outcome = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.match(call, { onSuccess: () => "ok", onFailure: ({ _tag }) => _tag })

const started = (clientId: string) =>
  Effect.gen(function* () {
    const devices = yield* Devices
    const { deviceCode, userCode } = yield* devices.start({ clientId, scopes })
    return {
      poll: (client = clientId) => outcome(devices.poll({ clientId: client, deviceCode })),
      decide: (allow: boolean, userId = "ada") => outcome(devices.decide({ userCode, userId, allow }))
    }
  })

describe("of two devices", () => {
  it.scoped("each gets its own answer, once, and only its own application gets it", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const [one, two] = [yield* started(clientId), yield* started(clientId)]
        assert.strictEqual(yield* one.decide(true), "ok")
        assert.strictEqual(yield* one.decide(false, "bea"), "Conflict")
        assert.strictEqual(yield* two.decide(false), "ok")
        assert.strictEqual(yield* two.poll(), "AccessDenied")
        assert.strictEqual(yield* one.poll(otherClientId), "InvalidGrant")
        assert.strictEqual(yield* one.poll(), "ok")
        assert.strictEqual(yield* one.poll(), "ExpiredToken")
      })
    )
  )

  it.scoped("a decision that comes while another is looked at is the only one, and none comes too late", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const devices = yield* Devices
        /** Decides; meanwhile something happens, after the code was found and before the decision is stored. */
        const decideWhile = (userCode: string, meanwhile: Effect.Effect<unknown>) =>
          outcome(
            watched(devices.decide({ userCode, userId: "ada", allow: true }), (text) =>
              Effect.as(text.includes("FROM applications") ? meanwhile : Effect.void, false)
            )
          )
        const [raced, late] = [yield* devices.start({ clientId, scopes }), yield* devices.start({ clientId, scopes })]
        const denial = Effect.orDie(devices.decide({ userCode: raced.userCode, userId: "bea", allow: false }))
        assert.strictEqual(yield* decideWhile(raced.userCode, denial), "Conflict")
        assert.strictEqual(yield* outcome(devices.poll({ clientId, deviceCode: raced.deviceCode })), "AccessDenied")
        yield* TestClock.adjust(599_999)
        assert.strictEqual(yield* decideWhile(late.userCode, TestClock.adjust(1)), "Conflict")
      })
    )
  )

  it.scoped("each ends ten minutes after its start, to the millisecond, decided or not", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const [allowed, undecided, inTime] = [
          yield* started(clientId),
          yield* started(clientId),
          yield* started(clientId)
        ]
        yield* allowed.decide(true)
        yield* inTime.decide(true)
        yield* TestClock.adjust(599_999)
        assert.strictEqual(yield* inTime.poll(), "ok")
        assert.strictEqual(yield* undecided.poll(), "AuthorizationPending")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* allowed.poll(), "ExpiredToken")
        assert.strictEqual(yield* undecided.poll(), "ExpiredToken")
        assert.strictEqual(yield* undecided.decide(true), "NotFound")
      })
    )
  )

  it.scoped("one that polls too early waits five seconds more, for good, and the other does not", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const [early, other] = [yield* started(clientId), yield* started(clientId)]
        const polls: Array<string> = []
        // The tolerance is half a second.
        for (const millis of [0, 4500, 4499, 9500, 9499]) {
          yield* TestClock.adjust(millis)
          polls.push(yield* early.poll())
        }
        const [pending, slow] = ["AuthorizationPending", "SlowDown"]
        assert.deepStrictEqual(polls, [pending, pending, slow, pending, slow])
        assert.strictEqual(yield* other.poll(), pending)
        yield* TestClock.adjust(4500)
        assert.strictEqual(yield* other.poll(), pending)
      })
    )
  )
})
