import { assert, describe, it } from "@effect/vitest"
import * as Server from "@heddle/server/Server"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Raw from "../support/Raw.ts"
import * as TestServer from "../support/TestServer.ts"

const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]

/** One part of a path: ordinary, encoded rightly or wrongly, too long, or with what separates paths from the rest. */
const part = FastCheck.oneof(
  FastCheck.constantFrom("1", "openapi", "v2", "tasks", "acp", "artifacts", "healthz", "", ".", "..", ":task_id", "*"),
  FastCheck.constantFrom(
    "%",
    "%2",
    "%zz",
    "%E0%A4%A",
    "%C3%A9",
    "%00",
    "%2F",
    "%2f..",
    "%25",
    "%252F",
    "%3F",
    "%74asks"
  ),
  FastCheck.constantFrom(";a=1", "a;b", "?a=1", "a?b%", "#a", "a#b"),
  FastCheck.tuple(
    FastCheck.constantFrom("x", "%25", "%2F", "%C3%A9", "%41"),
    FastCheck.integer({ min: 500, max: 520 })
  ).map(([letter, times]) => letter.repeat(times)),
  FastCheck.stringMatching(/^[!-~]{1,12}$/)
)

const path = FastCheck.tuple(
  FastCheck.constantFrom(
    "/openapi/v2/tasks/:",
    "/openapi/v2/tasks",
    "/openapi/v2/token",
    "/openapi/v2/authorize",
    "/openapi/v2/credit",
    "/openapi/v2/localassistant/message",
    "/openapi/v2/:",
    "/sandboxes/:/acp",
    "/sandboxes/:/api/session/artifacts",
    "/sandboxes/:/artifacts/:",
    "/healthz",
    "/openapi.json",
    "/:",
    "/:/:"
  ),
  part,
  FastCheck.oneof(
    { weight: 3, arbitrary: FastCheck.constant("") },
    { weight: 1, arbitrary: part.map((more) => `/${more}`) }
  )
).map(([pattern, id, more]) => pattern.replaceAll(":", () => id) + more)

const allowOf = ({ head }: Raw.RawAnswer) => /^allow: (.*)$/im.exec(head)?.[1]?.split(", ")

describe("Routes", () => {
  it.scopedLive("answers every method of a path without 5xx, and with 405 exactly where Allow lacks it", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const server = yield* Server.start({ dataDir, port: 0, limits: { rate: "off" } })
      const ask = (method: string, path: string) => Raw.exchange(server, [Raw.head(method, path, {})])
      const seen = new Set<number>()
      const check = (method: string, path: string) =>
        Effect.gen(function* () {
          const label = `${method} ${path}`
          const options = yield* ask("OPTIONS", path)
          const allow = options.status === 204 ? allowOf(options) : undefined
          assert.strictEqual(options.status, allow === undefined ? 404 : 204, label)
          const answer = yield* ask(method, path)
          seen.add(answer.status)
          assert.isBelow(answer.status, 500, label)
          assert.strictEqual(answer.status === 405, allow !== undefined && !allow.includes(method), label)
          if (answer.status === 405) assert.deepStrictEqual(allowOf(answer), allow, label)
          // What no method is answered at is not there, and what one is answered at is found by it.
          const missing =
            answer.status === 404 && (method === "HEAD" || answer.body.includes("nothing at this address"))
          if (allow === undefined) assert.isTrue(missing, label)
          else if (method !== "HEAD") assert.isFalse(missing, label)
        })
      yield* Effect.promise(() =>
        FastCheck.assert(
          FastCheck.asyncProperty(FastCheck.constantFrom(...methods), path, (method, path) =>
            Effect.runPromise(check(method, path))
          ),
          {
            seed: Number(process.env["HEDDLE_TEST_SEED"] ?? 20_261_121),
            numRuns: 300,
            examples: [
              ["GET", "/openapi/v2/tasks/%E0%A4%A"],
              ["GET", "/openapi/v2/tasks/%"],
              ["GET", `/openapi/v2/tasks/${"x".repeat(512)}`],
              ["GET", `/openapi/v2/tasks/${"x".repeat(513)}`],
              ["GET", `/openapi/v2/tasks/${"x".repeat(9000)}`],
              ["HEAD", "/openapi/v2/tasks/%"],
              ["DELETE", "/openapi/v2/tasks/%"],
              ["GET", "/openapi/v2/token;a=1"]
            ]
          }
        )
      )
      for (const status of [204, 400, 401, 404, 405]) assert.isTrue(seen.has(status), `${status} was never seen`)
    }).pipe(Logger.withMinimumLogLevel(LogLevel.Warning))
  )
})
