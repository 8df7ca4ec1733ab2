import { assert, describe, it } from "@effect/vitest"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import * as Readline from "node:readline"
import { fileURLToPath } from "node:url"
import { withRules } from "../support/Rules.ts"
import { redirectUri } from "../support/TestServer.ts"

const program = fileURLToPath(new URL("./support/worker.mjs", import.meta.url))

/** What one attempt gave: both tokens, or the word of its refusal. */
type Outcome = readonly [access: string, refresh: string] | string

/** A process on the same data; it is killed at the latest when the test ends. */
const worker = (dataDir: string) =>
  Effect.gen(function* () {
    const child = spawn(process.execPath, ["--conditions=@heddle/built", program, dataDir], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const lines = Readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const line = Effect.promise(async () => String((await lines.next()).value)).pipe(Effect.timeout("20 seconds"))
    assert.strictEqual(yield* line, "ready")
    return (order: Record<string, unknown>) =>
      Effect.zipRight(
        Effect.sync(() => child.stdin.write(`${JSON.stringify(order)}\n`)),
        Effect.map(line, (text) => JSON.parse(text) as ReadonlyArray<Outcome>)
      )
  })

const together = (dataDir: string) =>
  Effect.map(
    Effect.all(
      Array.from({ length: 3 }, () => worker(dataDir)),
      { concurrency: "unbounded" }
    ),
    (workers) => (order: Record<string, unknown>) =>
      Effect.map(
        Effect.all(
          workers.map((each) => each(order)),
          { concurrency: "unbounded" }
        ),
        (outcomes) => outcomes.flat()
      )
  )

const scopes = new Set(["user.task.readable"])

describe("processes on one database", () => {
  it.scopedLive(
    "one of many code exchanges succeeds, the replays revoke its grant, and all refreshes with one token are one",
    () =>
      withRules({ contract: { refreshTokenOnRefresh: "rotate" } }, (dataDir, clientId) =>
        Effect.gen(function* () {
          const grants = yield* Grants
          const all = yield* together(dataDir)
          for (let round = 0; round < 5; round++) {
            const code = yield* grants.authorize({
              clientId,
              userId: "ada",
              scopes,
              redirectUri,
              codeChallenge: undefined
            })
            const outcomes = yield* all({
              kind: "exchange",
              clientId,
              secret: Redacted.value(code),
              redirectUri,
              times: 10
            })
            const won = outcomes.filter((outcome) => typeof outcome !== "string")
            assert.lengthOf(outcomes, 30)
            assert.lengthOf(won, 1)
            assert.lengthOf(
              outcomes.filter((outcome) => outcome === "invalid_grant"),
              29
            )
            const access = Redacted.make(won[0]?.[0] ?? "")
            assert.strictEqual((yield* Effect.flip(grants.verify(access)))._tag, "InvalidToken")
          }

          const issued = yield* grants.issue({ clientId, userId: "ada", scopes })
          let secret = Redacted.value(issued.refreshToken ?? Redacted.make(""))
          for (let round = 0; round < 5; round++) {
            const outcomes = yield* all({ kind: "refresh", clientId, secret, times: 10 })
            assert.lengthOf(outcomes, 30)
            assert.strictEqual(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size, 1)
            const [access = "", refresh = ""] = outcomes[0] ?? []
            assert.notStrictEqual(refresh, secret)
            assert.strictEqual((yield* grants.verify(Redacted.make(access))).userId, "ada")
            secret = refresh
          }
        })
      ),
    60_000
  )
})
