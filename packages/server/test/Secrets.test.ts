import { assert, describe, it } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Api from "./support/Api.ts"
import * as Browser from "./support/Browser.ts"
import { observed } from "./support/Observed.ts"
import * as Raw from "./support/Raw.ts"
import * as TestServer from "./support/TestServer.ts"

/** What no log, no span and no refusal may hold. */
const seeded = {
  phone: "13812345670",
  stored: "13812345678",
  redemption: "WARP-5EED-C0DE-9431",
  giftKey: "CARD-5EED-7711",
  giftCode: "SECRET-5EED-8822",
  prompt: "a seeded prompt about my salary",
  message: "a seeded message to my assistant",
  password: "a seeded pass word 1",
  state: "a-seeded-state-5521",
  queryToken: "oa_at_5eededQueryToken00000000000000000000000000",
  cookie: "oa_ss_5eededCookie000000000000000000000000000000"
}

describe("Secrets", () => {
  it.scopedLive("are in no log line, span or error response of any request", () =>
    observed((told) =>
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        yield* server.accounts.create({
          name: "Bea",
          phone: seeded.stored,
          password: Redacted.make(seeded.password)
        })
        const refusals: Array<string> = []
        const keep = (answer: Api.Answer) => {
          if (answer.status >= 400) refusals.push(`${answer.text} ${JSON.stringify([...answer.headers])}`)
          return answer
        }
        const request = (path: string, init: RequestInit = {}) => Effect.map(Api.request(server, path, init), keep)

        // The browser's way, right and wrong.
        const browser = Browser.make(server.url)
        const page = yield* browser.get(Browser.authorizePath(server, { state: seeded.state }))
        yield* browser.press(page, "sign_in", { name: "Bea", password: `${seeded.password}x` })
        const signedIn = yield* browser.press(page, "sign_in", { name: "Bea", password: seeded.password })
        const consent = yield* browser.get(signedIn.headers.get("location") ?? "")
        const back = yield* browser.press(consent, "allow")
        const callback = new URL(back.headers.get("location") ?? "").searchParams
        const code = callback.get("code") ?? ""
        assert.match(code, /^oa_code_/)
        yield* request(`${Browser.authorizePath(server)}&state=${seeded.state}&state=x`)
        yield* request(Browser.authorizePath(server, { state: seeded.state }).replace("authorize", "%61uthorize"))

        // The token endpoint.
        const fields = Api.codeFields(server, code)
        const form = (body: string, type = "application/x-www-form-urlencoded") =>
          request("/openapi/v2/token", { method: "POST", body, headers: { "content-type": type } })
        const secrets = new URLSearchParams(fields).toString()
        yield* form(JSON.stringify(fields), "application/json")
        yield* form(`${secrets}&code=${code}`)
        yield* form(secrets, "text/plain")
        yield* form(secrets.replace("redirect_uri=", "redirect_uri=x"))
        yield* request(`/openapi/v2/token?${secrets}`, { method: "POST" })
        yield* request(`/openapi/v2/token?${secrets}`)
        const granted = keep(yield* Api.token(server, fields))
        assert.strictEqual(granted.status, 200)
        const { access_token, refresh_token } = granted.json as Record<string, string>
        const refreshed = keep(yield* Api.token(server, Api.refreshFields(server, refresh_token!)))
        assert.strictEqual(refreshed.status, 200)
        const basic = `Basic ${Buffer.from(`${server.clientId}:${server.clientSecret}x`).toString("base64")}`
        yield* Effect.map(
          Api.token(server, { grant_type: "refresh_token", refresh_token: refresh_token! }, { authorization: basic }),
          keep
        )

        // The API, with everything wrong that can be.
        const call = (path: string, json?: unknown, headers: Record<string, string> = {}) =>
          request(
            `/openapi/v2${path}`,
            Api.withToken(access_token!, { json, headers: { cookie: `heddle_session=${seeded.cookie}`, ...headers } })
          )
        const raw = (path: string, body: string, type = "application/json") =>
          request(`/openapi/v2${path}`, {
            method: "POST",
            body,
            headers: { authorization: `Bearer ${access_token}`, "content-type": type }
          })
        yield* call(`/user/profile?access_token=${seeded.queryToken}`)
        yield* request(`/openapi/v2/credit?access_token=${seeded.queryToken}`)
        yield* request("/openapi/v2/credit", { headers: { authorization: access_token! } })
        yield* request("/openapi/v2/credit", { headers: { authorization: `Bearer ${seeded.queryToken}` } })
        const matched = yield* call("/user/phoneverification", { phone_number: seeded.stored })
        assert.deepStrictEqual(matched.json, { matched: true })
        yield* call("/user/phoneverification", { phone_number: seeded.phone })
        for (const wrong of [`${seeded.phone}.`, [seeded.phone], { [seeded.phone]: 1 }, Number(seeded.phone)]) {
          yield* call("/user/phoneverification", { phone_number: wrong })
        }
        yield* raw("/user/phoneverification", `{"phone_number":"${seeded.phone}`)
        yield* raw("/user/phoneverification", `phone_number=${seeded.phone}`, "application/x-www-form-urlencoded")
        const created = yield* call("/tasks", { prompt: seeded.prompt }, { "idempotency-key": "one" })
        assert.strictEqual(created.status, 201)
        yield* call("/tasks", { prompt: `${seeded.prompt}!` }, { "idempotency-key": "one" })
        yield* call("/tasks", { prompt: [seeded.prompt] })
        yield* call("/tasks", { prompt: `${seeded.prompt} `.repeat(2000) })
        yield* raw("/tasks", `{"prompt":"${seeded.prompt}`)
        yield* call(`/tasks/${seeded.redemption}`)
        yield* call("/localassistant/message", { content: seeded.message, msg_type: "text" })
        yield* call("/localassistant/message", { content: seeded.message, msg_type: [seeded.message] })
        for (const body of [
          { code: seeded.redemption, request_id: "redemption-1" },
          { gift_key: seeded.giftKey, gift_code: seeded.giftCode, request_id: "redemption-2" },
          { gift_key: seeded.giftKey, request_id: "redemption-3" },
          { code: [seeded.redemption], request_id: "redemption-4" },
          { code: seeded.redemption.repeat(10), request_id: "redemption-5" }
        ]) {
          yield* call("/redemptions", body)
        }
        yield* raw("/redemptions", `{"code":"${seeded.redemption}"`)
        const task = yield* call(`/tasks/${String(created.json["task_id"])}`).pipe(
          Effect.delay("10 millis"),
          Effect.repeat({ until: ({ json }) => json["token"] !== undefined })
        )
        const ticket = String(task.json["token"])
        const sandbox = `/sandboxes/${String(created.json["task_id"])}`
        yield* request(`${sandbox}/acp?token=${ticket}`)
        yield* request(`${sandbox}/artifacts/a.png?expires=1&%73ignature=${seeded.state}`)
        yield* Raw.exchange(server, [`${seeded.queryToken}\r\n\r\n`])

        // And when the service itself fails in the middle of it.
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`DROP TABLE task_requests`
          yield* sql`ALTER TABLE accounts RENAME TO lost`
          yield* sql`ALTER TABLE refresh_tokens RENAME TO lost_too`
        }).pipe(Effect.provide(Database.layer(server.dataDir)))
        const broken = [
          yield* call("/user/phoneverification", { phone_number: seeded.stored }),
          yield* call("/tasks", { prompt: seeded.prompt }, { "idempotency-key": "two" }),
          yield* Effect.map(Api.token(server, Api.refreshFields(server, refresh_token!)), keep)
        ]
        for (const answer of broken) {
          assert.strictEqual(answer.status, 500)
          assert.strictEqual(answer.json["error"], "server_error")
          assert.strictEqual(answer.json["request_id"], answer.headers.get("x-request-id"))
          assert.notInclude(answer.text, "SQL")
        }

        const all = {
          ...seeded,
          code,
          ticket,
          clientSecret: server.clientSecret,
          accessToken: access_token!,
          refreshToken: refresh_token!,
          refreshed: String(refreshed.json["access_token"]),
          session: browser.jar.get("heddle_session") ?? ""
        }
        for (const [name, secret] of Object.entries(all)) assert.isAbove(secret.length, 8, name)
        assert.deepStrictEqual(told.leaks(all), [])
        for (const refusal of refusals) {
          for (const [name, secret] of Object.entries(all)) {
            // The pages lead back to the application with its state, as the document wants.
            if (name !== "state") assert.isFalse(refusal.includes(secret), `${name} in a refusal: ${refusal}`)
          }
        }
        // There was something to look through.
        assert.isAbove(refusals.length, 25)
        assert.isTrue(told.logs.some((line) => line.includes("/openapi/v2/token") && line.includes("request_id")))
        assert.isTrue(told.logs.some((line) => line.startsWith("ERROR") && line.includes("a request failed")))
        assert.isTrue(told.spans().some((span) => span.startsWith("POST /openapi/v2/user/phoneverification")))
        assert.isTrue(told.spans().some((span) => span.includes("request_id") && span.includes("client_id")))
      })
    )
  )

  it.scopedLive("are found by the search of this test", () =>
    observed((told) =>
      Effect.gen(function* () {
        yield* Effect.logDebug("one", { deep: { deeper: [seeded.prompt] } })
        yield* Effect.annotateLogs(Effect.logTrace("two"), { phone: seeded.phone })
        yield* Effect.withSpan(Effect.void, "three", { attributes: { url: encodeURIComponent(seeded.message) } })
        yield* Effect.exit(Effect.withSpan(Effect.die(new Error(seeded.state)), "four"))
        const found = told.leaks(seeded).map((line) => line.split(" ", 1)[0])
        assert.sameMembers(found, ["prompt", "phone", "message", "state"])
        assert.isFalse(told.leaks(seeded).some((line) => line.includes(seeded.prompt)))
      })
    )
  )

  it.scopedLive("an access log line has only method, pattern, status, time, trace id and application", () =>
    observed((told) =>
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        const { access_token } = yield* Api.connect(server)
        const before = told.logs.length
        const answer = yield* Api.call(server, access_token, "/tasks/unknown?x=1")
        const lines = told.logs.slice(before).filter((line) => line.includes("answered"))
        assert.strictEqual(lines.length, 1)
        const [line = ""] = lines
        for (const part of [
          '"method":"GET"',
          '"route":"/openapi/v2/tasks/:task_id"',
          '"status":404',
          '"ms":',
          `"request_id":"${answer.headers.get("x-request-id")}"`,
          `"client_id":"${server.clientId}"`
        ]) {
          assert.include(line, part)
        }
        assert.notInclude(line, "unknown")
        const span = told.spans().find((span) => span.includes(String(answer.json["request_id"])))
        assert.isTrue(span?.startsWith("GET /openapi/v2/tasks/:task_id"))
      })
    )
  )
})
