import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Programs from "@heddle/test-support/Programs"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as TestServer from "./support/TestServer.ts"

const program = fileURLToPath(new URL("../bin/heddle-server.js", import.meta.url))

describe("a disk that takes no more", { timeout: 60_000 }, () => {
  it.scopedLive("makes the service unready and refuses what it cannot store, until there is room again", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const agent = `${process.execPath} ${scriptedAgent}`
      const args = ["serve", "--port", "0", "--data", dataDir, "--agent", agent]
      const { pid, ready } = yield* Programs.start(program, args)
      const { url } = yield* ready
      const administer = (...given: ReadonlyArray<string>) =>
        Effect.map(
          Programs.run(program, [...given, "--data", dataDir, "--json"]),
          ({ out }) => JSON.parse(out) as Record<string, string>
        )
      const app = yield* administer("app", "create", "--name", "Loom", "--redirect-uri", TestServer.redirectUri)
      const user = yield* administer("user", "create", "--name", "Ada", "--password", "p")
      const grant = yield* administer("grant", "create", "--app", app["client_id"]!, "--user", user["user_id"]!)
      const call = (path: string, body?: unknown) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}${path}`, {
            headers: { authorization: `Bearer ${grant["access_token"]}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
          })
          return { status: response.status, headers: response.headers, text: await response.text() }
        })
      const create = call("/openapi/v2/tasks", { prompt: "hello", initial_prompt: "hold" })
      const readiness = (status: number) =>
        call("/readyz").pipe(Effect.delay("50 millis"), Effect.repeat({ until: (answer) => answer.status === status }))
      /** The largest file that the service may write. */
      const limit = (size: string) => execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:`])
      assert.strictEqual((yield* create).status, 201)
      yield* readiness(200)

      limit("4096")
      assert.include((yield* readiness(503)).text, "takes no writes")
      const refused = yield* create
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "temporarily_unavailable")
      assert.include(refused.text, "cannot store anything at the moment")
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.strictEqual((yield* call("/healthz")).status, 200)
      assert.strictEqual((yield* call("/openapi/v2/tasks")).status, 200)

      limit("unlimited")
      yield* readiness(200)
      assert.strictEqual((yield* create).status, 201)
      assert.include((yield* call("/openapi/v2/tasks")).text, '"total":2')
    })
  )
})
