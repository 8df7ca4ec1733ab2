import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Programs from "@heddle/test-support/Programs"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { program, run, runHere } from "./support/Commands.ts"
import * as TestServer from "./support/TestServer.ts"

const phone = "138 1234-5678"

const json = (result: Programs.Ended) => JSON.parse(result.out) as Record<string, string>

/** A serving process; it is killed at the latest when the test ends. */
const serve = (dataDir: string) =>
  Effect.gen(function* () {
    const agent = `${process.execPath} ${scriptedAgent}`
    const { ready, stop } = yield* Programs.start(program, [
      "serve",
      "--port",
      "0",
      "--data",
      dataDir,
      "--agent",
      agent
    ])
    const line = yield* ready
    assert.isTrue(line["ready"])
    return { url: String(line["url"]), stop }
  })

const passwordHashIn = (dataDir: string): string => {
  const database = new Sqlite(Path.join(dataDir, "server.sqlite"), { readonly: true })
  try {
    const [row] = database.prepare("SELECT password_hash FROM accounts").all() as ReadonlyArray<{
      password_hash: string
    }>
    return row?.password_hash ?? ""
  } finally {
    database.close()
  }
}

/** A module that kills its process around the first hard link: that of the key. */
const killingAtLink = (when: string) =>
  `data:text/javascript,${encodeURIComponent(`
    import Fs from "node:fs"
    import { syncBuiltinESMExports } from "node:module"
    const link = Fs.linkSync
    Fs.linkSync = (...paths) => {
      if (${when === "after"}) link(...paths)
      process.kill(process.pid, "SIGKILL")
    }
    syncBuiltinESMExports()`)}`

describe("heddle-server", { timeout: 60_000 }, () => {
  it.scopedLive("administers a running server, survives kill -9, and shuts down gracefully", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const data = ["--data", dataDir, "--json"]
      const [first, app, user] = yield* Effect.all(
        [
          serve(dataDir),
          Effect.map(run(["app", "create", "--name", "Loom", "--redirect-uri", TestServer.redirectUri, ...data]), json),
          Effect.map(
            runHere([
              "user",
              "create",
              "--name",
              "Ada",
              "--password",
              "p",
              "--credits",
              "7",
              "--phone",
              phone,
              ...data
            ]),
            json
          )
        ],
        { concurrency: "unbounded" }
      )
      const grant = json(
        yield* runHere(["grant", "create", "--app", app["client_id"] ?? "", "--user", user["user_id"] ?? "", ...data])
      )
      assert.match(app["client_secret"] ?? "", /^oa_cs_/)
      assert.match(grant["refresh_token"] ?? "", /^oa_rt_/)
      assert.match(passwordHashIn(dataDir), /^scrypt\$32768\$8\$1\$/)
      const call = (url: string, path: string, body?: unknown) =>
        Effect.promise(async () => {
          const response = await fetch(`${url}/openapi/v2${path}`, {
            headers: { authorization: `Bearer ${grant["access_token"]}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
          })
          return { status: response.status, json: (await response.json()) as Record<string, unknown> }
        })
      assert.strictEqual((yield* call(first.url, "/credit")).json["total_capacity_size"], 7)
      const verified = yield* call(first.url, "/user/phoneverification", { phone_number: "+86 (138) 12345678" })
      assert.deepStrictEqual(verified.json, { matched: true })
      const task = yield* call(first.url, "/tasks", { prompt: "hello" })
      assert.strictEqual(task.status, 201)

      const second = yield* run(["serve", "--port", "0", ...data.slice(0, 2)])
      assert.strictEqual(second.status, 2)
      assert.match(second.err, /^--data: .* in use by another heddle-server \(process \d+\).*\n$/)

      yield* first.stop("SIGKILL")
      const again = yield* serve(dataDir)
      const kept = yield* call(again.url, `/tasks/${task.json["task_id"]}`)
      assert.strictEqual(kept.status, 200)
      assert.strictEqual(kept.json["name"], "hello")

      assert.strictEqual((yield* run(["app", "disable", app["client_id"] ?? "", ...data])).status, 0)
      assert.strictEqual((yield* call(again.url, "/credit")).status, 403)
      const list = json(yield* runHere(["app", "list", ...data]))
      assert.strictEqual(String(list["active"]), "false")

      const stopping = performance.now()
      const end = yield* again.stop("SIGTERM")
      assert.strictEqual(end.status, 0)
      assert.isBelow(performance.now() - stopping, 5000)
    })
  )

  it.scopedLive("makes codes and vouchers, as lines and as JSON", () =>
    Effect.gen(function* () {
      const data = ["--data", yield* TestServer.dataDir]
      const codes = yield* runHere(["code", "create", "--credits", "5", "--count", "3", "--json", ...data])
      const code = yield* runHere(["code", "create", "--credits", "5", "--uses", "2", "--expires-in", "30", ...data])
      const vouchers = yield* runHere(["voucher", "create", "--credits", "5", "--count", "2", "--json", ...data])
      const voucher = yield* runHere(["voucher", "create", "--credits", "5", ...data])
      const word = "[0-9A-Z]{5}(-[0-9A-Z]{5}){3}"
      assert.match(codes.out, new RegExp(`^(\\{"code":"${word}"\\}\n){3}$`))
      assert.match(code.out, new RegExp(`^code: ${word}\n$`))
      assert.match(code.err, /shown this once/)
      assert.match(vouchers.out, new RegExp(`^(\\{"gift_key":"${word}","gift_code":"${word}"\\}\n){2}$`))
      assert.match(voucher.out, new RegExp(`^gift_key: ${word}\ngift_code: ${word}\n$`))
      for (const { err, status } of [codes, vouchers]) assert.deepStrictEqual([err, status], ["", 0])
    })
  )

  it.scopedLive("reports wrong usage in one line with the setting, and exits with 2", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const stack = Path.join(dataDir, "..", `${Path.basename(dataDir)}-stack`)
      const elsewhere = Path.join(stack, "bot")
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          for (const file of ["server/server.sqlite", "bot/bot.sqlite"]) {
            Fs.mkdirSync(Path.dirname(Path.join(stack, file)), { recursive: true })
            Fs.writeFileSync(Path.join(stack, file), "")
          }
        }),
        () => Effect.sync(() => Fs.rmSync(stack, { recursive: true }))
      )
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Record<string, string>, RegExp]> = [
        [["serve", "--port", "abc"], {}, /--port: "abc" is not a whole number/],
        [["serve"], { HEDDLE_PORT: "99999" }, /--port: 99999 is no port/],
        [["serve", "--data", Path.join(program, "x")], {}, /--data: the folder .* cannot be written/],
        [
          ["serve", "--refresh-token-on-refresh", "x"],
          {},
          /--refresh-token-on-refresh: "x" is not one of omit, same, rotate/
        ],
        [["serve", "--data", "/proc/nowhere/x"], {}, /--data: the folder .* cannot be written/],
        [["serve", "--nonsense"], {}, /--nonsense/],
        [["serve", "--agent", 'agent "one'], {}, /--agent: it has a quote that is not closed/],
        [["serve", "--agent", "a=one", "--agent", "a=two"], {}, /--agent: two agents have the name a\./],
        [["serve", "--agent", "one", "--agent", "b=two"], {}, /--agent: one of several agents has no name\. Give each/],
        [["serve", "--agent", "Claude=one"], {}, /--agent: "Claude" is no name for an agent\./],
        [["serve", "--agent", "default=one"], {}, /--agent: default means whichever agent is the first\./],
        [["serve", "--agent", "a="], {}, /--agent: the command of a is empty\./],
        [["serve", "--agent", "a=one", "--agent-env", "b:KEY"], {}, /--agent-env: "b:KEY" is for the agent b\./],
        [["app", "create", "--name", "x", "--redirect-uri", "ftp://x"], {}, /"ftp:\/\/x" is not an https URL/],
        [["serve", "--credits-per-turn", "-1"], {}, /--credits-per-turn: -1 is no whole number from 0/],
        [["serve", "--overview", "all"], {}, /--overview: "all" is not one of none, last-message/],
        [["code", "create"], {}, /--credits is missing/],
        [["code", "create", "--credits", "0"], {}, /The credits must be a whole number from 1/],
        [["code", "create", "--credits", "many"], {}, /--credits: "many" is not a whole number/],
        [["voucher", "create", "--credits", "1", "--count", "10001"], {}, /The count must be .* to 10000/],
        [["voucher", "create", "--credits", "1", "--expires-in", "0"], {}, /The time until they expire must be/],
        [["serve", "--rate-limit", "users=1/60"], {}, /--rate-limit: "users=1\/60" is not like user=1200\/60/],
        [["serve", "--deprecation", "soon"], {}, /--deprecation: "soon" is not a date like 2027-01-31/],
        [["serve", "--sunset", "2027-01-31"], {}, /--sunset: it ends an API that is not deprecated/],
        [["app", "disable", "nobody"], {}, /There is no application nobody/],
        [
          ["app", "list", "--data", stack],
          {},
          /--data: the folder .* holds no service.*\. The service is in --data .*server\./
        ],
        [["code", "create", "--credits", "1", "--data", elsewhere], {}, /holds no service, and nothing was made there/],
        [["task", "delete", "nobody"], {}, /There is no task nobody\. See: heddle-server task list/],
        [["task", "list", "--status", "lost"], {}, /--status: "lost" is not one of creating, idle,/]
      ]
      // The first ones show for each source, flags, environment and data, that the program ends so.
      const [asProgram, here] = [cases.slice(0, 3), cases.slice(3)]
      const results = [
        ...(yield* Effect.forEach(asProgram, ([args, env]) => run(args, { HEDDLE_DATA: dataDir, ...env }), {
          concurrency: 3
        })),
        ...(yield* Effect.forEach(here, ([args, env]) => runHere(args, { HEDDLE_DATA: dataDir, ...env })))
      ]
      for (const [index, { err, out, status }] of results.entries()) {
        const [args, , line] = cases[index] ?? [[], {}, /$^/]
        assert.strictEqual(status, 2, `${args.join(" ")}: ${err}`)
        assert.match(err, line)
        assert.strictEqual(err.trimEnd().split("\n").length, 1, err)
        assert.strictEqual(out, "")
      }
    })
  )

  it.scopedLive("lets several commands open a new folder at once", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const commands = Array.from({ length: 4 }, () => run(["app", "list", "--data", dataDir]))
      const results = yield* Effect.all(commands, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        results,
        Array.from({ length: 4 }, () => ({ status: 0, out: "", err: "" }))
      )
    })
  )

  for (const when of ["before", "after"])
    it.scopedLive(`is not stopped by an earlier first start that was killed right ${when} it made the key`, () =>
      Effect.gen(function* () {
        const dataDir = yield* TestServer.dataDir
        const create = ["user", "create", "--name", "Ada", "--password", "p", "--data", dataDir]
        const killed = yield* run(create, { NODE_OPTIONS: `--import ${killingAtLink(when)}` })
        assert.isNull(killed.status, killed.err)
        assert.strictEqual(Fs.existsSync(Path.join(dataDir, "master.key")), when === "after")
        const { err, status } = yield* runHere(create)
        assert.strictEqual(status, 0, err)
      })
    )

  it.live("prints its help", () =>
    Effect.gen(function* () {
      const [help, version] = yield* Effect.all([run(["--help"]), run(["--version"])], { concurrency: 2 })
      assert.strictEqual(help.status, 0)
      for (const word of [
        "serve",
        "app create",
        "user create",
        "code create",
        "voucher create",
        "grant create",
        "task delete",
        "backup"
      ])
        assert.include(help.out, word)
      assert.strictEqual(version.status, 0)
      assert.match(version.out, /^\d+\.\d+\.\d+/)
    })
  )
})
