import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ConformanceStage from "./support/ConformanceStage.ts"

const otherChoices =
  "--refresh-token-on-refresh rotate --error-shape oauth --status-case lower " +
  "--permission-response accept --offline queue --order oldest_first " +
  "--list-scope user --duplicate-redemption conflict --code-case insensitive " +
  "--show-deleted --hide-unknown-codes"

/** One line for each check that is not as it should be. */
const told = ({ results }: ConformanceStage.Verdict, verdict: string) =>
  results
    .filter((result) => result.verdict === verdict)
    .map(({ check, problems = [], reason = "" }) => `${check}: ${[...problems, reason].join("; ")}`)

/** Each answer of the runs is as the OpenAPI document of the service says. */
const allDescribed = (stage: Effect.Effect.Success<ReturnType<typeof ConformanceStage.make>>) => {
  const { count, undescribed } = stage.answers()
  assert.isAbove(count, 500)
  assert.deepStrictEqual(undescribed, [])
}

describe.concurrent("heddle-server conforms to the contract", () => {
  it.scopedLive(
    "passes every conformance check in strict mode with all prerequisites",
    () =>
      Effect.gen(function* () {
        const stage = yield* ConformanceStage.make()
        const stop = yield* stage.assistant
        const online = { ...stage.given, HEDDLE_ASSISTANT: "online" }
        const whole = yield* ConformanceStage.check(online, "--strict", "--disposable")
        assert.strictEqual(whole.err, "")
        assert.deepStrictEqual(told(whole, "failed"), [])
        // The two states of one assistant exclude each other; the second run below sees the other one.
        const skipped = told(whole, "skipped")
        assert.deepStrictEqual(
          skipped.filter((line) => !line.endsWith("needs --assistant offline")),
          []
        )
        assert.isAtLeast(whole.summary.passed, 570)
        assert.strictEqual(whole.status, 0)

        yield* stop
        const offline = { ...stage.given, HEDDLE_ASSISTANT: "offline" }
        const rest = yield* ConformanceStage.check(offline, "--strict", "--only", "offline")
        assert.deepStrictEqual([...told(rest, "failed"), ...told(rest, "skipped")], [])
        assert.strictEqual(rest.summary.passed, skipped.length)
        allDescribed(stage)
      }),
    240_000
  )

  it.scopedLive(
    "with the opposite options, differs from decisions and breaks no rule of the contract",
    () =>
      Effect.gen(function* () {
        const stage = yield* ConformanceStage.make(...otherChoices.split(" "))
        const verdict = yield* ConformanceStage.check({ ...stage.given, HEDDLE_ASSISTANT: "offline" })
        assert.deepStrictEqual(told(verdict, "failed"), [])
        assert.isAbove(verdict.summary.differs, 5)
        assert.isTrue(verdict.results.every(({ level, verdict }) => verdict !== "differs" || level === "decision"))
        assert.strictEqual(verdict.status, 0)
        allDescribed(stage)
      }),
    240_000
  )
})
