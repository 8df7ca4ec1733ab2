import { assert, describe, it } from "@effect/vitest"
import * as LocalAssistant from "@heddle/assistant/LocalAssistant"
import * as Administration from "@heddle/server/Administration"
import { Accounts } from "@heddle/server/accounts/Accounts"
import { Applications } from "@heddle/server/oauth/Applications"
import { AssistantCredentials } from "@heddle/server/assistant/AssistantCredentials"
import { Grants } from "@heddle/server/oauth/Grants"
import { knownScopes } from "@heddle/core/domain/Scope"
import * as AssistantClient from "@heddle/test-support/AssistantClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as TestServer from "./support/TestServer.ts"
import * as AssistantHarness from "./support/AssistantHarness.ts"

const demoAgent = `${process.execPath} ${fileURLToPath(new URL("dist/bin/main.js", import.meta.resolve("@heddle/demo-agent/package.json")))}`

/** How many messages are answered in their order: HEDDLE_ROUNDS=200 by hand. */
const messages = Number(process.env["HEDDLE_ROUNDS"] ?? 60)

describe.concurrent("heddle-assistant", { timeout: 40_000 }, () => {
  it.scopedLive("appears online, answers by the demo agent, remembers, and goes offline in order", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service()
      const app = yield* service.app()
      assert.isFalse(yield* app.online)
      const { token } = yield* service.credential
      const program = yield* AssistantHarness.program(service.url, token, { agent: demoAgent })
      assert.deepStrictEqual(JSON.parse(program.out()), { ready: true, service: service.url })
      assert.isTrue(yield* app.online)

      const first = yield* app.send("What is in this file?\n\nregion,price\nEU,3\nUS,5\n")
      const answer = yield* app.reply(first)
      assert.strictEqual(answer.role, "assistant")
      assert.strictEqual(answer.msg_type, "text")
      assert.strictEqual(answer.content.length, 1)
      assert.match(String(answer.content[0]), /2 rows/)
      assert.match(answer.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const second = yield* app.reply(yield* app.send("average price by region"))
      assert.match(String(second.content[0]), /EU/)

      const stopping = performance.now()
      assert.strictEqual((yield* program.stop("SIGTERM")).status, 0)
      assert.isBelow(performance.now() - stopping, 5000)
      yield* app.becomes(false, "2 seconds")
      // Another run takes the agent's session up again.
      yield* AssistantHarness.program(service.url, token, {
        agent: demoAgent,
        args: ["--cwd", program.folder, "--state", Path.join(program.folder, "state")]
      })
      const third = yield* app.reply(yield* app.send("top 1 by price"))
      assert.match(String(third.content[0]), /US/)
    })
  )

  it.scopedLive("answers once after kill -9 in a turn, and ends when it is replaced or its credential revoked", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service()
      const app = yield* service.app()
      const { assistantId, token } = yield* service.credential
      const first = yield* AssistantHarness.program(service.url, token)
      const sent = yield* app.send("write started yes\nwait 700\necho done")
      yield* AssistantHarness.file(Path.join(first.folder, "started"))
      yield* first.stop("SIGKILL")
      yield* app.becomes(false, "2 seconds")
      assert.deepStrictEqual(yield* app.history(`?message_id=${sent}`), [])
      const second = yield* AssistantHarness.program(service.url, token)
      assert.deepStrictEqual((yield* app.reply(sent)).content, ["done"])
      const next = yield* app.send("echo next")
      yield* app.reply(next)
      assert.deepStrictEqual(
        (yield* app.history()).map(({ content, role }) => `${role} ${content[0]?.split("\n").at(-1)}`),
        ["user echo done", "assistant done", "user echo next", "assistant next"]
      )

      const third = yield* AssistantHarness.program(service.url, token)
      const replaced = yield* second.ended
      assert.strictEqual(replaced.status, 2)
      assert.match(replaced.err, /another program has connected with this credential/)
      assert.deepStrictEqual((yield* app.reply(yield* app.send("echo third"))).content, ["third"])

      assert.isTrue(yield* app.online)
      yield* service.assistants.revoke(assistantId)
      assert.isFalse(yield* app.online, "at once")
      const refused = yield* app.post({ content: "hello", msg_type: "text" })
      assert.strictEqual(refused.status, 403)
      assert.strictEqual(refused.json["error"], "forbidden")
      const revoked = yield* third.ended
      assert.strictEqual(revoked.status, 2)
      assert.match(revoked.err, /HEDDLE_ASSISTANT_TOKEN: .*revoked/)
    })
  )

  it.scopedLive(
    "sends what it answered while the service was killed, also after kill -9, and asks the agent once",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* TestServer.folder
        const first = yield* AssistantHarness.serve(dataDir, 0)
        const { access, token } = yield* ada(dataDir)
        const program = yield* AssistantHarness.program(first.url, token)
        const { folder } = program
        const app = AssistantClient.application(first.url, access)
        const sent = yield* app.send("write started yes\nwait 300\nwrite count x\necho found meanwhile")
        const waiting = yield* app.send("echo and this")
        yield* AssistantHarness.file(Path.join(folder, "started"))
        yield* first.kill
        yield* AssistantHarness.file(Path.join(folder, "count"))
        const second = yield* AssistantHarness.serve(dataDir, first.port)
        assert.deepStrictEqual((yield* app.reply(sent)).content, ["found meanwhile"])
        assert.deepStrictEqual((yield* app.reply(waiting)).content, ["and this"])
        assert.lengthOf(yield* app.history(), 4)
        assert.match(program.err(), /trying again/)

        const stored = yield* app.send("write again yes\nwait 300\nwrite worked x\necho found once")
        yield* AssistantHarness.file(Path.join(folder, "again"))
        yield* second.kill
        const state = Path.join(folder, "state")
        const remembered = Effect.sync(() => {
          const name = Fs.readdirSync(state).find((name) => name.endsWith(".json"))
          return name === undefined ? "" : Fs.readFileSync(Path.join(state, name), "utf8")
        })
        // Not what is still being written beside it.
        yield* app.poll(remembered, (text) => text.includes("found once"))
        yield* program.stop("SIGKILL")
        Fs.rmSync(Path.join(folder, "worked"))
        yield* AssistantHarness.serve(dataDir, first.port)
        yield* AssistantHarness.program(first.url, token, { args: ["--cwd", folder, "--state", state] })
        assert.deepStrictEqual((yield* app.reply(stored)).content, ["found once"])
        assert.isFalse(Fs.existsSync(Path.join(folder, "worked")))
        yield* app.poll(remembered, (text) => !text.includes("found once"))
      })
  )

  it.scopedLive(
    "answers what was queued while it was offline, all in its order, in a session for each application",
    () =>
      Effect.gen(function* () {
        const service = yield* AssistantHarness.service({ contract: { offline: "queue" } })
        const [loom, other] = [yield* service.app("Loom"), yield* service.app("Other")]
        const numbers = Array.from({ length: messages }, (_, n) => n)
        const send = (n: number) => loom.send(`echo number ${n}`)
        yield* Effect.forEach(numbers.slice(0, 2), send)
        const program = yield* AssistantHarness.program(service.url, (yield* service.credential).token)
        const ids = yield* Effect.forEach(numbers.slice(2), send)
        yield* loom.poll(
          loom.history("?limit=1"),
          ([newest]) => newest?.metadata["answers"] === ids.at(-1),
          "90 seconds"
        )
        const said: Array<string | undefined> = []
        for (let offset = 0; offset < 2 * messages; offset += 100) {
          const page = yield* loom.history(`?limit=100&offset=${offset}`)
          said.unshift(...page.filter(({ role }) => role === "assistant").map(({ content }) => content[0]))
        }
        assert.deepStrictEqual(
          said,
          numbers.map((n) => `number ${n}`)
        )

        const theirs = yield* other.send("echo for other")
        yield* other.reply(theirs)
        assert.deepStrictEqual(
          (yield* other.history()).map(({ content }) => content[0]),
          ["echo for other", "for other"]
        )
        assert.strictEqual((yield* other.call(`/message?message_id=${ids[0]}`)).status, 404)
        assert.lengthOf(
          Fs.readdirSync(program.folder).filter((name) => name.startsWith(".session-agent-")),
          2
        )
      }),
    120_000
  )

  it.scopedLive("replies with an error when the agent fails, exits or hangs", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service()
      const app = yield* service.app()
      yield* AssistantHarness.program(service.url, (yield* service.credential).token, { args: ["--turn-timeout", "1"] })
      const failed = yield* app.reply(yield* app.send("echo so far\nfail"))
      assert.strictEqual(failed.msg_type, "error")
      assert.strictEqual(failed.metadata["msgType"], "error")
      assert.match(String(failed.content[0]), /^so far\n\nThe agent answered with an error: the model is overloaded/)
      assert.match(String((yield* app.reply(yield* app.send("die"))).content[0]), /ended unexpectedly.*out of memory/)
      assert.match(String((yield* app.reply(yield* app.send("hang"))).content[0]), /gave no sign for 1s/)
      // This agent had not stored its session yet, so the new one knows nothing of it.
      assert.deepStrictEqual((yield* app.reply(yield* app.send("echo alive"))).content, [
        "(The agent does not remember what was said before.)\n\nalive"
      ])
      assert.match(String((yield* app.reply(yield* app.send("wait 1"))).content[0]), /nothing to say/)
    })
  )

  it.scopedLive("a message is answered once when another computer takes over after a pulled cable", () =>
    Effect.gen(function* () {
      const service = yield* AssistantHarness.service(
        {},
        { silence: Duration.millis(1800), sweep: Duration.millis(50), handOver: Duration.millis(400) }
      )
      const app = yield* service.app()
      const cable = yield* makeCable(Number(new URL(service.url).port))
      const far = yield* AssistantHarness.program(cable.url, (yield* service.credential).token)
      const sent = yield* app.send("write started yes\nwait 300\necho answer")
      yield* AssistantHarness.file(Path.join(far.folder, "started"))
      cable.pull()
      yield* app.becomes(false, "10 seconds")
      yield* AssistantHarness.program(service.url, (yield* service.credential).token)
      assert.deepStrictEqual((yield* app.reply(sent)).content, ["answer"])
      cable.plug()
      // The first computer has its answer still, and cannot give it twice.
      yield* app.poll(
        Effect.sync(() => cable.connections()),
        (count) => count > 1
      )
      yield* app.reply(yield* app.send("echo later"))
      assert.lengthOf(yield* app.history(), 4)
    })
  )

  it.scopedLive("ends with status 2 and one line that names the wrong setting", () =>
    Effect.gen(function* () {
      const { credential, url } = yield* AssistantHarness.service()
      const { token } = yield* credential
      const cases: ReadonlyArray<readonly [token: string, args: ReadonlyArray<string>, line: RegExp]> = [
        ["oa_as_wrong", [], /^HEDDLE_ASSISTANT_TOKEN: the service does not know this credential/],
        ["oa_at_wrong", [], /^HEDDLE_ASSISTANT_TOKEN: this is no credential/],
        ["", [], /^HEDDLE_ASSISTANT_TOKEN: it is not set/],
        [token, ["--token-file", "/nowhere"], /^--token-file: the file is not there/],
        [token, ["--approve", "maybe"], /^--approve: "maybe" is not one of ask, deny, allow/]
      ]
      const runs = [
        ...cases.map(([given, args, line]) => [given, { args }, line] as const),
        [token, { agent: 'agent "one' }, /^--agent: it has a quote that is not closed/] as const
      ]
      yield* Effect.forEach(
        runs,
        ([given, options, line]) =>
          Effect.gen(function* () {
            const program = yield* AssistantHarness.program(url, given, { ...options, ready: false })
            const { err, status } = yield* program.ended
            assert.match(err, line)
            assert.strictEqual(status, 2, err)
            assert.strictEqual(err.trimEnd().split("\n").length, 1, err)
            assert.strictEqual(program.out(), "")
          }),
        { concurrency: 4 }
      )

      // The program prints what its assistant fails with; for the rest no program starts.
      const agentCommand = AssistantHarness.scripted.split(" ")
      const settings: ReadonlyArray<readonly [Partial<LocalAssistant.Options>, RegExp]> = [
        [{ service: `${url}/elsewhere` }, /^--service: .* answers with status 404/],
        [{ service: "http://example.com" }, /^--service: .*readably over http/],
        [{ service: "nonsense" }, /^--service: "nonsense" is no URL/],
        [{ cwd: "/nowhere" }, /^--cwd: there is no folder/],
        [{ agentCommand: ["no-such-agent"] }, /^--agent: .*not found/],
        [{ agentCommand: [...agentCommand, "exit"] }, /^--agent: .*no licence found/]
      ]
      const cwd = yield* TestServer.folder
      const usual = { service: url, token: Redacted.make(token), agentCommand, cwd, stateDir: Path.join(cwd, "state") }
      for (const [given, line] of settings) {
        const { message } = yield* Effect.flip(LocalAssistant.run({ ...usual, ...given }))
        assert.match(message, line)
        assert.strictEqual(message.split("\n").length, 1, message)
      }
    })
  )
})

/** The account Ada with an access token and a credential of a computer. */
const ada = (dataDir: string) =>
  Effect.gen(function* () {
    const { clientId } = yield* (yield* Applications).ensure({
      name: "Loom",
      redirectUris: [TestServer.redirectUri]
    })
    const { userId } = yield* (yield* Accounts).ensure({ name: "Ada" })
    const { accessToken } = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(knownScopes) })
    const { assistantToken } = yield* (yield* AssistantCredentials).create(userId, "test")
    return { access: Redacted.value(accessToken), token: Redacted.value(assistantToken) }
  }).pipe(Effect.provide(Administration.layer(dataDir)))

/** A line to a port that can be pulled: both ends stay open and nothing passes. */
const makeCable = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ url: string; pull: () => void; plug: () => void; connections: () => number; close: () => void }>(
          (resolve) => {
            const sockets = new Set<Net.Socket>()
            let pulled = false
            let since = 0
            const server = Net.createServer({ allowHalfOpen: true }, (near) => {
              since += 1
              const far = Net.connect({ port, host: "127.0.0.1", allowHalfOpen: true })
              for (const [from, to] of [
                [near, far],
                [far, near]
              ] as const) {
                sockets.add(from)
                from.on("data", (piece) => pulled || to.write(piece))
                from.on("end", () => pulled || to.end())
                from.on("error", () => pulled || to.destroy())
                from.on("close", () => pulled || to.destroy())
              }
            })
            server.listen(0, "127.0.0.1", () =>
              resolve({
                url: `http://127.0.0.1:${(server.address() as Net.AddressInfo).port}`,
                connections: () => since,
                pull: () => {
                  pulled = true
                },
                plug: () => {
                  pulled = false
                  since = 0
                  for (const socket of sockets) socket.destroy()
                  sockets.clear()
                },
                close: () => {
                  for (const socket of sockets) socket.destroy()
                  server.close()
                }
              })
            )
          }
        )
    ),
    (cable) => Effect.sync(cable.close)
  )
