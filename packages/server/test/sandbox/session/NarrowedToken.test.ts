import { assert, describe, it } from "@effect/vitest"
import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Server from "@heddle/server/Server"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Api from "../../support/Api.ts"
import * as TestServer from "../../support/TestServer.ts"
import { Client, isPermission, saysText } from "../support/client.ts"
import { agent, temporary } from "../support/service.ts"

/** Two access tokens of one grant: as it was given, and narrowed to reading. */
const tokensOf = (dataDir: string) =>
  Effect.gen(function* () {
    const { clientId } = yield* (yield* Applications).create({ name: "Loom", redirectUris: [TestServer.redirectUri] })
    const { userId } = yield* (yield* Accounts).create({ name: "Ada", credits: 100 })
    const grants = yield* Grants
    const scopes = new Set(["user.task.readable", "user.task.invokable"])
    const { accessToken, refreshToken } = yield* grants.issue({ clientId, userId, scopes })
    if (refreshToken === undefined) return yield* Effect.dieMessage("no refresh token")
    const narrowed = yield* grants.refresh({ clientId, refreshToken, scope: "user.task.readable" })
    return { full: Redacted.value(accessToken), reading: Redacted.value(narrowed.accessToken) }
  }).pipe(Effect.provide(Administration.layer(dataDir)))

const started = Effect.gen(function* () {
  const dataDir = temporary()
  const { url } = yield* Server.start({
    port: 0,
    dataDir,
    agents: [{ command: agent(), isolation: "none" }]
  })
  const server = { at: (path: string) => url + path }
  const tokens = yield* tokensOf(dataDir)
  const { json } = yield* Api.call(server, tokens.full, "/tasks", { json: { prompt: "p", initial_prompt: "hold" } })
  const taskId = String(json["task_id"])
  const ticketOf = (token: string) =>
    Api.call(server, token, `/tasks/${taskId}`).pipe(
      Effect.repeat({ until: ({ json }) => json["token"] !== undefined }),
      Effect.map(({ json }) => ({
        taskId,
        link: String(json["link"]),
        token: String(json["token"]),
        sandboxUrl: "",
        folder: ""
      }))
    )
  return { ticketOf, tokens, taskId }
})

describe("a ticket that an access token narrowed to reading asks for", () => {
  it.scopedLive("decision 52: reads and streams, and changes nothing, while the ticket of the whole grant works", () =>
    Effect.gen(function* () {
      const { taskId: sessionId, ticketOf, tokens } = yield* started
      const full = yield* ticketOf(tokens.full)
      const reading = yield* ticketOf(tokens.reading)
      assert.strictEqual((yield* ticketOf(tokens.full)).token, full.token)
      assert.strictEqual((yield* ticketOf(tokens.reading)).token, reading.token)
      yield* Effect.promise(async () => {
        const writer = await Client.loaded(full)
        const reader = await Client.loaded(reading)
        const turn = await writer.askPrompt("ask May I?")
        const asked = await reader.message(isPermission)
        const prompt = [{ type: "text", text: "echo mine" }]
        const server = { name: "m", command: "sh", args: [], env: [] }
        const refused = [
          { id: 100, method: "session/prompt", params: { sessionId, prompt } },
          { method: "session/cancel", params: { sessionId } },
          { id: asked.id, result: { outcome: { outcome: "selected", optionId: "yes" } } },
          { id: 101, method: "session/set_mode", params: { sessionId, modeId: "plan" } },
          { id: 102, method: "session/set_model", params: { sessionId, modelId: "large" } },
          { id: 103, method: "session/set_config_option", params: { sessionId, configId: "effort", value: "high" } },
          { id: 104, method: "session/new", params: { cwd: "/", mcpServers: [server] } },
          { id: 105, method: "session/load", params: { sessionId, cwd: "/", mcpServers: [server] } },
          { id: 106, method: "_heddle/unknown", params: { sessionId } },
          { method: "_heddle/unknown", params: { sessionId } }
        ]
        // On its own connection, and on the one that the other ticket opened.
        for (const connection of [{}, { "acp-connection-id": writer.id }]) {
          for (const message of refused) {
            const response = await reader.post({ jsonrpc: "2.0", ...message }, connection)
            assert.strictEqual(response.status, 403, message.method)
            assert.match(await response.text(), /only read: [^]*user\.task\.invokable\. Nothing was done\./)
          }
        }
        const theirs = { "acp-connection-id": writer.id }
        const withdrawn = { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: turn } }
        assert.strictEqual((await reader.post(withdrawn, theirs)).status, 403)
        const headers = { authorization: `Bearer ${reading.token}`, accept: "text/event-stream", ...theirs }
        for (const method of ["GET", "DELETE"])
          assert.strictEqual((await fetch(reading.link, { method, headers })).status, 403, method)
        await writer.answer(await writer.message(isPermission), { outcome: "selected", optionId: "yes" })
        assert.strictEqual((await writer.answerTo(turn)).result.stopReason, "end_turn")
        await writer.prompt("echo yours")
        await reader.message(saysText("yours"))
        assert.notInclude(reader.text, "mine")
        assert.include(reader.text, '"optionId":"yes"')
        assert.include(JSON.stringify((await reader.load()).result.modes), '"currentModeId":"code"')
      })
    })
  )
  it.scopedLive("decision 52: declines no request of an agent by an error, also as its only client", () =>
    Effect.gen(function* () {
      const { ticketOf, tokens } = yield* started
      const full = yield* ticketOf(tokens.full)
      const reading = yield* ticketOf(tokens.reading)
      yield* Effect.promise(async () => {
        const writer = await Client.loaded(full)
        const reader = await Client.loaded(reading)
        await writer.askPrompt("ask May I?")
        const { id } = await reader.message(isPermission)
        const headers = { authorization: `Bearer ${full.token}`, "acp-connection-id": writer.id }
        assert.strictEqual((await fetch(full.link, { method: "DELETE", headers })).status, 202)
        const error = { code: -32_601, message: "This client cannot ask" }
        assert.strictEqual((await reader.post({ jsonrpc: "2.0", id, error })).status, 202)
        const again = await Client.loaded(full)
        await again.answer(await again.message(isPermission), { outcome: "selected", optionId: "yes" })
        await reader.until(() => reader.text.includes('"optionId":"yes"'))
      })
    })
  )
})
