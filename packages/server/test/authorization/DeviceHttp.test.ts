import { assert, describe, it } from "@effect/vitest"
import { Devices } from "@heddle/server/oauth/Devices"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as Api from "../support/Api.ts"
import * as Browser from "../support/Browser.ts"
import { withRules } from "../support/Rules.ts"
import * as TestServer from "../support/TestServer.ts"

const urn = "urn:ietf:params:oauth:grant-type:device_code"

const make = (more: Parameters<typeof TestServer.make>[0] = {}) =>
  TestServer.make({ ...more, contract: { deviceFlow: true, ...more.contract } })

const start = (server: TestServer.TestServer, more: Record<string, string> = {}) =>
  Effect.map(
    Api.request(server, "/openapi/v2/device_authorization", {
      method: "POST",
      body: new URLSearchParams({ client_id: server.clientId, client_secret: server.clientSecret, ...more })
    }),
    ({ headers, json, status }) => ({ status, headers, json: json as Record<string, string> })
  )

const poll = (server: TestServer.TestServer, device_code: string | undefined, grant_type = urn) =>
  Api.token(server, {
    grant_type,
    device_code: device_code ?? "",
    client_id: server.clientId,
    client_secret: server.clientSecret
  })

/** A browser with Ada signed in, on the page for this code. */
const visit = (server: TestServer.TestServer, userCode: string) =>
  Effect.gen(function* () {
    const browser = Browser.make(server.url)
    const signIn = yield* browser.get(`/device?user_code=${encodeURIComponent(userCode)}`)
    const done = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
    assert.strictEqual(done.status, 303)
    return { browser, page: yield* browser.get(done.headers.get("location") ?? "") }
  })

/** A service whose device has a code, and Ada on the page for it. */
const visited = Effect.gen(function* () {
  const server = yield* make()
  const { json } = yield* start(server)
  return { server, json, ...(yield* visit(server, json["user_code"] ?? "")) }
})

describe("DeviceHttp", () => {
  it.scopedLive("decision 47: issues readable codes, shows the decision to the person, and issues tokens once", () =>
    Effect.gen(function* () {
      const server = yield* make()
      const { headers, json, status } = yield* start(server, { scope: "user.credit.readable" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.match(json["user_code"] ?? "", /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      assert.deepInclude(json, {
        verification_uri: `${server.url}/device`,
        verification_uri_complete: `${server.url}/device?user_code=${json["user_code"]}`
      })
      assert.deepStrictEqual([json["expires_in"], json["interval"]] as Array<unknown>, [600, 5])
      assert.strictEqual((yield* poll(server, json["device_code"])).json["error"], "authorization_pending")

      // Typed by hand: small letters and a space do.
      const typed = (json["user_code"] ?? "").toLowerCase().replace("-", " ")
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get("/device")
      const done = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
      const enter = yield* browser.get(done.headers.get("location") ?? "")
      assert.include(enter.text, "The code on your device")
      const checked = yield* browser.press(enter, "check", { user_code: typed })
      assert.strictEqual(checked.status, 303)
      const consent = yield* browser.get(checked.headers.get("location") ?? "")
      for (const part of [
        "Allow Loom on a device",
        json["user_code"] ?? "",
        "See how many credits",
        "Signed in as Ada"
      ]) {
        assert.include(Browser.words(consent), part)
      }
      assert.notInclude(consent.text, "Start tasks for you")
      assert.include(consent.headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
      assert.include((yield* browser.press(consent, "allow")).text, "Your device is connected")

      const tokens = yield* poll(server, json["device_code"])
      assert.strictEqual(tokens.status, 200)
      assert.strictEqual(tokens.json["scope"], "user.credit.readable")
      assert.match(String(tokens.json["refresh_token"]), /^oa_rt_/)
      const credit = yield* Api.call(server, String(tokens.json["access_token"]), "/credit")
      assert.strictEqual(credit.status, 200)
      const again = yield* poll(server, json["device_code"], "device_code")
      assert.deepStrictEqual([again.status, again.json["error"]], [400, "expired_token"])
    })
  )

  it.scopedLive("reports to the device that its user denied access", () =>
    Effect.gen(function* () {
      const { browser, json, page, server } = yield* visited
      assert.include((yield* browser.press(page, "cancel")).text, "Nothing was shared")
      const denied = yield* poll(server, json["device_code"])
      assert.deepStrictEqual([denied.status, denied.json["error"]], [403, "access_denied"])
    })
  )

  it.scopedLive("decision 49: a decided code is reported on the page, and in JSON with 409", () =>
    Effect.gen(function* () {
      const { browser, json, page, server } = yield* visited
      yield* browser.press(page, "allow")
      const pressedAgain = yield* browser.press(page, "cancel")
      assert.strictEqual(pressedAgain.status, 409)
      assert.include(pressedAgain.text, "answered already")
      const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join("; ")
      const path = `/device?user_code=${json["user_code"]}`
      const program = yield* Api.request(server, path, { headers: { accept: "application/json", cookie } })
      assert.deepStrictEqual([program.status, program.json["error"]], [409, "invalid_request"])
      assert.strictEqual((yield* poll(server, json["device_code"])).status, 200)
    })
  )

  it.scopedLive("accepts a form only with its own session, page and code", () =>
    Effect.gen(function* () {
      const server = yield* make()
      const [mine, other] = [yield* start(server), yield* start(server)]
      const { browser, page } = yield* visit(server, mine.json["user_code"] ?? "")
      const swapped = yield* browser.press(page, "allow", { user_code: other.json["user_code"] ?? "" })
      assert.strictEqual(swapped.status, 400)
      const stranger = Browser.make(server.url)
      assert.strictEqual((yield* stranger.press(page, "allow")).status, 400)
      const enter = yield* browser.get("/device")
      const forged = { ...enter, text: enter.text.replace('value="check"', 'value="allow"') }
      assert.strictEqual(
        (yield* browser.press(forged, "allow", { user_code: mine.json["user_code"] ?? "" })).status,
        400
      )
      for (const { json } of [mine, other]) {
        assert.strictEqual((yield* poll(server, json["device_code"])).json["error"], "authorization_pending")
      }
    })
  )

  it.scopedLive("limits how many codes one person can try", () =>
    Effect.gen(function* () {
      const server = yield* make()
      const { json } = yield* start(server)
      const { browser, page } = yield* visit(server, "WRNG-CCCC")
      assert.strictEqual(page.status, 404)
      assert.include(page.text, "unknown or has expired")
      for (let tries = 1; tries < 10; tries++) {
        assert.strictEqual((yield* browser.get(`/device?user_code=BBBB-BBB${tries}`)).status, 404)
      }
      const limited = yield* browser.get(`/device?user_code=${json["user_code"]}`)
      assert.strictEqual(limited.status, 429)
      assert.isAbove(Number(limited.headers.get("retry-after")), 500)
    })
  )

  it.scopedLive("limits how many codes are open for one application at one address", () =>
    Effect.gen(function* () {
      const server = yield* make()
      const answers = yield* Effect.forEach(
        Array.from({ length: 101 }, (_, n) => n),
        () => start(server),
        { concurrency: 10 }
      )
      const limited = answers.filter(({ status }) => status === 429)
      assert.strictEqual(limited.length, 1)
      assert.isAbove(Number(limited[0]?.headers.get("retry-after")), 500)
      assert.lengthOf(new Set(answers.map(({ json }) => json["user_code"])), 101)
    })
  )

  it.scopedLive("decision 9: an inactive application gets its own error, and only with its secret", () =>
    Effect.gen(function* () {
      const server = yield* make()
      const { json } = yield* start(server)
      yield* server.applications.disable(server.clientId)
      const refused = yield* start(server)
      assert.deepStrictEqual([refused.status, refused.json["error"]], [401, "unauthorized_client"])
      const polled = yield* poll(server, json["device_code"])
      assert.deepStrictEqual([polled.status, polled.json["error"]], [401, "unauthorized_client"])
      const guess = yield* start({ ...server, clientSecret: "wrong" })
      assert.strictEqual(guess.json["error"], "invalid_client")
    })
  )

  it.scopedLive("decision 10: with oauthStatuses rfc the same error codes come with 400", () =>
    Effect.gen(function* () {
      const server = yield* make({ contract: { oauthStatuses: "rfc" } })
      const { json } = yield* start(server)
      const { browser, page } = yield* visit(server, json["user_code"] ?? "")
      yield* browser.press(page, "cancel")
      const denied = yield* poll(server, json["device_code"])
      assert.deepStrictEqual([denied.status, denied.json["error"]], [400, "access_denied"])
      yield* server.applications.disable(server.clientId)
      const refused = yield* start(server)
      assert.deepStrictEqual([refused.status, refused.json["error"]], [400, "unauthorized_client"])
    })
  )

  it.scopedLive("refuses scopes beyond the application's and codes of another application", () =>
    Effect.gen(function* () {
      const server = yield* make()
      assert.strictEqual((yield* start(server, { scope: "admin" })).json["error"], "invalid_scope")
      const { json } = yield* start(server)
      const other = yield* server.applications.create({ name: "Other", redirectUris: [TestServer.redirectUri] })
      const foreign = { ...server, clientId: other.clientId, clientSecret: Redacted.value(other.clientSecret) }
      assert.strictEqual((yield* poll(foreign, json["device_code"])).json["error"], "invalid_grant")
      assert.strictEqual((yield* poll(server, "oa_dc_wrong")).json["error"], "invalid_grant")
    })
  )
})

describe("Devices", () => {
  it.scoped("decision 48: polling too early lengthens the interval permanently", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const devices = yield* Devices
        const { deviceCode } = yield* devices.start({ clientId, scopes: new Set(["user.task.readable"]) })
        const after = (seconds: number) =>
          TestClock.adjust(`${seconds} seconds`).pipe(
            Effect.zipRight(Effect.flip(devices.poll({ clientId, deviceCode }))),
            Effect.map(({ code }) => code)
          )
        assert.strictEqual(yield* after(0), "authorization_pending")
        assert.strictEqual(yield* after(5), "authorization_pending")
        assert.strictEqual(yield* after(4), "slow_down")
        assert.strictEqual(yield* after(5), "slow_down")
        assert.strictEqual(yield* after(15), "authorization_pending")
        assert.strictEqual(yield* after(14), "slow_down")
        assert.strictEqual(yield* after(20), "authorization_pending")
        assert.strictEqual(yield* after(20), "authorization_pending")
      })
    )
  )

  it.scoped("a poll after the clock was set back is not too early", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 day")
        const devices = yield* Devices
        const { deviceCode } = yield* devices.start({ clientId, scopes: new Set(["user.task.readable"]) })
        const poll = Effect.map(Effect.flip(devices.poll({ clientId, deviceCode })), ({ code }) => code)
        assert.strictEqual(yield* poll, "authorization_pending")
        yield* TestClock.setTime(22 * 3_600_000)
        assert.strictEqual(yield* poll, "authorization_pending")
        assert.strictEqual(yield* poll, "slow_down")
      })
    )
  )

  it.scoped("ends both codes after ten minutes", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const devices = yield* Devices
        const { deviceCode, userCode } = yield* devices.start({ clientId, scopes: new Set(["user.task.readable"]) })
        yield* TestClock.adjust("599 seconds")
        assert.strictEqual((yield* devices.findRequest({ userCode, userId: "ada" })).application.clientId, clientId)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Effect.flip(devices.findRequest({ userCode, userId: "ada" })))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(devices.poll({ clientId, deviceCode }))).code, "expired_token")
      })
    )
  )
})
