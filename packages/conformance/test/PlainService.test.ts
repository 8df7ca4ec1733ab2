import { assert, describe, it } from "@effect/vitest"
import { groups } from "@heddle/conformance/Catalogue"
import * as Runner from "@heddle/conformance/Runner"
import type { PlainServiceOptions } from "@heddle/plain-service"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as PlainStage from "./PlainStage.ts"

/** Every reading other than the default, where the suite can check both. */
const otherReadings: PlainServiceOptions = {
  consent: "form",
  refresh: "keeps",
  refreshEndsAccess: true,
  unauthorized: "envelope",
  repeatedRedemption: "conflict",
  assistant: "B",
  assistantOnline: false,
  messageContent: "strings",
  messagePages: "newestFirst",
  times: "utc",
  creatingMs: 0,
  restStatus: "pending",
  askStatus: "pending",
  taskFields: ["sandboxLink", "sandboxDataLink", "link"],
  taskOrder: "oldestFirst",
  linkMovesOnQuery: true,
  initialize: "full",
  replay: "full",
  replayedChunks: "joined",
  loadResult: "null",
  sse: "awkward",
  requestIds: "strings",
  usage: "empty",
  int64: "number",
  artifactPagination: "absent",
  media: "url",
  deletedArtifacts: "absent",
  severalSessions: true
}

const check = (readings: PlainServiceOptions, strict: boolean) =>
  Effect.gen(function* () {
    const settings = yield* PlainStage.make(readings)
    const results = Chunk.toReadonlyArray(yield* Stream.runCollect(Runner.run(groups, settings, { strict })))
    const passed = results.filter(({ verdict }) => verdict === "passed").length
    const named = (...verdicts: ReadonlyArray<Runner.Result["verdict"]>) =>
      results.filter(({ verdict }) => verdicts.includes(verdict)).map(({ check }) => check.name)
    const broken = results.flatMap((result) =>
      result.verdict === "failed" && result.check.level === "required"
        ? [`${result.check.name}: ${result.problems.join("; ")}`]
        : []
    )
    const skipped = results.flatMap((result) => (result.verdict === "skipped" ? [result.reason] : []))
    return { broken, named, passed, skipped: [...new Set(skipped)].sort() }
  })

const missing = ["needs --inactive-access-token", "needs --inactive-client", "needs --other-client"]

/** Where the default readings with empty bodies of 401 are not the decisions. */
const leftOpen = [
  "decision 4: GET /credit with an unknown token is 401 invalid_token",
  "decision 20: a refusal of GET /credit is neither a page nor an empty body",
  "decision 21: createdAt, updatedAt and size are numbers, not strings",
  "decision 21: credits is a number, not a string"
]

describe("a service that was written from the document alone", () => {
  it.scopedLive(
    "keeps every rule of the document, and fails with --strict only where the document leaves a choice",
    () =>
      Effect.gen(function* () {
        const { broken, named, passed, skipped } = yield* check({ unauthorized: "empty" }, true)
        assert.deepStrictEqual(broken, [])
        assert.isAbove(passed, 400)
        assert.deepStrictEqual(
          skipped,
          [
            ...missing,
            "needs --assistant offline",
            "of 12 guesses none is answered by 429, whose threshold is not shown",
            "the service offers no choice of agents"
          ].sort()
        )
        assert.includeMembers(named("failed"), leftOpen)
      }),
    120_000
  )

  it.scopedLive(
    "keeps every rule of the document with the opposite readings, too, and differs where it may",
    () =>
      Effect.gen(function* () {
        const { named, passed, skipped } = yield* check(otherReadings, false)
        assert.deepStrictEqual(named("failed"), [])
        assert.isAbove(passed, 400)
        assert.include(skipped, "needs --assistant online")
        assert.isTrue(named("differs").every((name) => name.startsWith("decision ")))
        assert.includeMembers(named("differs"), [
          "decision 4: GET /credit with an unknown token is 401 invalid_token",
          "decision 30: the previous access token stays valid",
          "decision 76: the link stays where it is when the task is read again",
          "decision 76: a token opens the channel after the task was read again",
          "decision 98: a list without a limit has pagination",
          "decision 98: a list with a limit has pagination"
        ])
      }),
    120_000
  )

  it.scopedLive(
    "only differs by empty bodies of 401, int64 strings and a refresh that ends both tokens before it",
    () =>
      Effect.gen(function* () {
        const { named } = yield* check({ unauthorized: "empty", refreshEndsAccess: true }, false)
        assert.deepStrictEqual(named("failed"), [])
        assert.includeMembers(named("differs"), [...leftOpen, "decision 30: the previous access token stays valid"])
      }),
    120_000
  )
})
