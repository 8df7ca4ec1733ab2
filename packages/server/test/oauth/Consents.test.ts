import { assert, describe, it } from "@effect/vitest"
import { Applications } from "@heddle/server/oauth/Applications"
import { Consents } from "@heddle/server/oauth/Consents"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { withRules } from "../support/Rules.ts"

const [credit, task] = ["user.credit.readable", "user.task.readable"]

describe("Consents", () => {
  it.scoped("stores the exact allowed scopes for 30 days (contract decision 38)", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const consents = yield* Consents
        const other = yield* (yield* Applications).create({ name: "Other", redirectUris: [] })
        const given = (scopes: ReadonlyArray<string>, client = clientId) =>
          consents.hasConsented({ userId: "ada", clientId: client, scopes: new Set(scopes) })
        yield* consents.remember({ userId: "ada", clientId, scopes: new Set([task, credit]) })
        assert.isTrue(yield* given([credit, task]))
        assert.isFalse(yield* given([credit]), "narrower")
        assert.isFalse(yield* given([credit, task, "user.task.invokable"]), "wider")
        assert.isFalse(yield* given([credit, task], other.clientId))
        const ofBea = { userId: "bea", clientId, scopes: new Set([task, credit]) }
        assert.isFalse(yield* consents.hasConsented(ofBea), "another user")

        yield* TestClock.adjust("29 days")
        assert.isTrue(yield* given([credit, task]))
        yield* TestClock.adjust("1 day")
        assert.isFalse(yield* given([credit, task]), "stale")
        yield* consents.remember({ userId: "ada", clientId, scopes: new Set([task, credit]) })
        assert.isTrue(yield* given([credit, task]))
      })
    )
  )
})
