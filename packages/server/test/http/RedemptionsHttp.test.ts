import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import type { ContractOptions } from "@heddle/server/config/ContractOptions"
import * as Database from "@heddle/server/sql/Database"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { inspect } from "node:util"
import * as Api from "../support/Api.ts"
import * as TestServer from "../support/TestServer.ts"

const path = "/openapi/v2/redemptions"

const started = (contract: Partial<ContractOptions> = {}, dataDir?: string) =>
  Effect.gen(function* () {
    const server = yield* TestServer.make({ contract, ...(dataDir === undefined ? {} : { dataDir }) })
    const token = yield* server.grantTo("Loom", "Bea")
    let next = 0
    return {
      server,
      token,
      redeemAs: (token: string, json: unknown) => Api.request(server, path, Api.withToken(token, { json })),
      redeem: (json: unknown) => Api.request(server, path, Api.withToken(token, { json })),
      quota: (of = token) => Effect.map(Api.call(server, of, "/credit"), ({ json }) => json),
      code: (batch: { credits?: number; uses?: number; expiresIn?: number } = {}) =>
        Effect.map(server.redemptionCodes.create({ credits: 30, ...batch }), ([code]) =>
          Redacted.value(code ?? Redacted.make(""))
        ),
      newId: () => `request-${next++}`
    }
  })

/** Lets every code with an end come to it. */
const expire = (dataDir: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE redemption_codes SET expires_at = created_at
    WHERE expires_at IS NOT NULL`
  ).pipe(Effect.provide(Database.layer(dataDir)))

describe("RedemptionsHttp", () => {
  it.scopedLive("turns a code into credits, and repeats the response for a repeated request (decisions 88, 89)", () =>
    Effect.gen(function* () {
      const { code, quota, redeem, redeemAs, server } = yield* started()
      const given = yield* code()
      assert.match(given, /^[0-9A-Z]{5}(-[0-9A-Z]{5}){3}$/)
      const first = yield* redeem({ code: given, request_id: "my-request" })
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.headers.get("cache-control"), "private, no-store")
      assert.match(first.headers.get("content-type") ?? "", /^application\/json/)
      assert.deepStrictEqual(Object.keys(first.json), ["status", "flow_no", "credits", "open_id"])
      assert.strictEqual(first.json["status"], "success")
      assert.strictEqual(first.json["credits"], 30)
      assert.match(String(first.json["flow_no"]), /^[0-9A-Z]{5}(-[0-9A-Z]{5}){2}$/)
      assert.deepStrictEqual(yield* quota(), { total_capacity_size: 30, total_capacity_used: 0 })

      const again = yield* redeem({ request_id: "my-request", code: given, gift_key: null, unknown: 1 })
      assert.strictEqual(again.status, 200)
      assert.strictEqual(again.text, first.text)
      assert.deepStrictEqual(yield* quota(), { total_capacity_size: 30, total_capacity_used: 0 })

      const other = yield* redeem({ code: yield* code(), request_id: "my-request" })
      assert.strictEqual(other.status, 409)
      assert.strictEqual(other.json["error"], "invalid_request")

      // The same request id is free for another application and for another user.
      const elsewhere = yield* server.grantTo("Other", "Bea")
      const third = yield* redeemAs(elsewhere, { code: yield* code(), request_id: "my-request" })
      assert.strictEqual(third.status, 200)
      assert.notStrictEqual(third.json["open_id"], first.json["open_id"])
      assert.notStrictEqual(third.json["flow_no"], first.json["flow_no"])
    })
  )

  it.scopedLive("repeats the stored response after the code has expired, without new credits", () =>
    Effect.gen(function* () {
      const { code, quota, redeem, server } = yield* started()
      const given = yield* code({ expiresIn: 60_000, uses: 5 })
      const first = yield* redeem({ code: given, request_id: "my-request" })
      assert.strictEqual(first.status, 200)
      yield* expire(server.dataDir)
      const again = yield* redeem({ code: given, request_id: "my-request" })
      assert.strictEqual(again.status, 200)
      assert.strictEqual(again.text, first.text)
      const late = yield* redeem({ code: given, request_id: "other-request" })
      assert.strictEqual(late.status, 400)
      assert.strictEqual(late.json["error"], "invalid_grant")
      assert.deepStrictEqual(yield* quota(), { total_capacity_size: 30, total_capacity_used: 0 })
    })
  )

  it.scopedLive("answers with the open_id of the token's user", () =>
    Effect.gen(function* () {
      const { code, redeemAs, server } = yield* started()
      const tokens = yield* Api.connect(server, { scope: "user.credit.exchange user.credit.readable" })
      const { json } = yield* redeemAs(tokens.access_token, { code: yield* code(), request_id: "request-1" })
      assert.strictEqual(json["open_id"], tokens.open_id)
    })
  )

  it.scopedLive("redeems vouchers by number and secret, with one error for a wrong number or secret", () =>
    Effect.gen(function* () {
      const { newId, quota, redeem, server } = yield* started()
      const [voucher, other] = yield* server.redemptionCodes.createVouchers({ credits: 70, count: 2 })
      const field = (value: Redacted.Redacted | undefined) => Redacted.value(value ?? Redacted.make(""))
      const gift = { gift_key: field(voucher?.giftKey), gift_code: field(voucher?.giftCode) }
      const wrong = [
        { ...gift, gift_code: field(other?.giftCode) },
        { ...gift, gift_key: "no-such-card" },
        { code: gift.gift_code },
        { code: gift.gift_key }
      ]
      const answers = yield* Effect.forEach(wrong, (body) => redeem({ ...body, request_id: newId() }))
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [404])
      assert.strictEqual(new Set(answers.map(({ json }) => json["error_description"])).size, 1)
      const right = yield* redeem({ ...gift, request_id: newId() })
      assert.strictEqual(right.json["credits"], 70)
      assert.strictEqual((yield* quota())["total_capacity_size"], 70)
    })
  )

  it.scopedLive("distinguishes used, expired and exhausted codes, and repeats each error (decisions 88, 91)", () =>
    Effect.gen(function* () {
      const { code, newId, redeem, redeemAs, server, token } = yield* started()
      const cy = yield* server.grantTo("Loom", "Cy")
      const mine = yield* code({ uses: 2 })
      const gone = yield* code()
      yield* redeem({ code: mine, request_id: newId() })
      yield* redeemAs(cy, { code: gone, request_id: newId() })
      const late = yield* code({ expiresIn: 60_000 })
      yield* expire(server.dataDir)
      const cases: ReadonlyArray<readonly [string, number, string, RegExp]> = [
        [mine, 400, "invalid_grant", /already/],
        [gone, 400, "invalid_grant", /as often as it can be/],
        [late, 400, "invalid_grant", /expired/],
        ["nobody knows it", 404, "not_found", /no such/]
      ]
      for (const [given, status, error, words] of cases) {
        const body = { code: given, request_id: newId() }
        const first = yield* redeemAs(token, body)
        assert.strictEqual(first.status, status)
        assert.strictEqual(first.json["error"], error)
        assert.match(String(first.json["error_description"]), words)
        assert.notInclude(first.text, given)
        const again = yield* redeemAs(token, body)
        assert.notStrictEqual(again.json["request_id"], first.json["request_id"])
        assert.deepStrictEqual({ ...again.json, request_id: "" }, { ...first.json, request_id: "" })
        assert.strictEqual(again.status, status)
      }
    })
  )

  it.scopedLive("names the invalid field and never its value (decisions 90, 92)", () =>
    Effect.gen(function* () {
      const { code, quota, redeem, server, token } = yield* started()
      const given = yield* code()
      const id = { request_id: "request-1" }
      const voucher = { gift_key: "GK-SEEN-NOWHERE", gift_code: "GC-SEEN-NOWHERE" }
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ ...id }, "code"],
        [{ ...id, code: null }, "code"],
        [{ ...id, code: "" }, "code"],
        [{ ...id, code: given, ...voucher }, "not both"],
        [{ ...id, code: given, gift_key: voucher.gift_key }, "not both"],
        [{ ...id, gift_key: voucher.gift_key }, "gift_code"],
        [{ ...id, gift_code: voucher.gift_code }, "gift_key"],
        [{ ...id, ...voucher, gift_key: null }, "gift_key"],
        [{ ...id, code: "SEEN".repeat(17) }, "code must have 1 to 64"],
        [{ ...id, ...voucher, gift_key: "SEEN!" }, "gift_key must have 6 to 64"],
        [{ ...id, ...voucher, gift_code: "SEEN!!!" }, "gift_code must have 8 to 64"],
        [{ code: given, request_id: "SEEN!!!" }, "request_id must have 8 to 64"],
        [{ code: given, request_id: "x".repeat(65) }, "request_id must have 8 to 64"],
        [{ ...id, code: "SEEN\u00e9" }, "code must be printable ASCII"],
        [{ ...id, code: "SEEN\n" }, "code must be printable ASCII"],
        // Sixty-four code points in twice as many UTF-16 units: long enough, but not ASCII.
        [{ ...id, code: "🧵".repeat(64) }, "code must be printable ASCII"],
        [{ ...id, code: "🧵".repeat(65) }, "code must have 1 to 64"],
        [{ code: given, request_id: "request \u0000" }, "request_id must be printable ASCII"],
        [{ code: given }, "request_id"],
        [{ code: given, request_id: null }, "request_id"],
        [{ code: given, request_id: 12345678 }, "request_id"],
        [{ ...id, code: 12345678 }, "code"],
        [{ ...id, code: ["SEEN"] }, "code"],
        [{ ...id, gift_key: { SEEN: 1 }, gift_code: true }, "gift_key, gift_code"],
        ["SEEN", "body"],
        [[given], "body"],
        [null, "body"],
        [7, "body"]
      ]
      for (const [body, mention] of cases) {
        const answer = yield* redeem(body)
        const label = `${JSON.stringify(body)}: ${answer.text}`
        assert.strictEqual(answer.status, 400, label)
        assert.strictEqual(answer.json["error"], "invalid_request", label)
        assert.include(String(answer.json["error_description"]), mention)
        assert.notInclude(answer.text, "SEEN", label)
        assert.notInclude(answer.text, given, label)
      }
      const raw = (contentType: string, body: string) =>
        Api.request(server, path, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": contentType },
          body
        })
      const unreadable = yield* raw("application/json", `{"code":"${given}"`)
      assert.strictEqual(unreadable.status, 400)
      assert.notInclude(unreadable.text, given)
      assert.strictEqual((yield* raw("application/x-www-form-urlencoded", `code=${given}`)).status, 415)
      assert.strictEqual((yield* raw("application/json", `"${"x".repeat(1_100_000)}"`)).status, 413)
      // None of it used the code or the request id up.
      assert.strictEqual((yield* redeem({ code: given, ...id })).status, 200)
      assert.strictEqual((yield* quota())["total_capacity_size"], 30)
    })
  )

  it.scopedLive("takes codes as people type them, or exactly when the option is set (contract decision 92)", () =>
    Effect.gen(function* () {
      const strict = yield* started({ codeCase: "sensitive" })
      const given = yield* strict.code()
      const refused = yield* strict.redeem({ code: given.toLowerCase(), request_id: "request-1" })
      assert.strictEqual(refused.status, 404)
      assert.strictEqual((yield* strict.redeem({ code: ` ${given}`, request_id: "request-2" })).status, 404)

      const lenient = yield* started()
      for (const typed of [
        (code: string) => code.toLowerCase(),
        (code: string) => ` ${code.replaceAll("-", " ")}`,
        (code: string) => code.replaceAll("-", "").toLowerCase()
      ]) {
        const other = yield* lenient.code()
        const requestId = `request-${other}`
        const taken = yield* lenient.redeem({ code: typed(other), request_id: requestId })
        assert.strictEqual(taken.status, 200)
        assert.strictEqual((yield* lenient.redeem({ code: other, request_id: requestId })).text, taken.text)
      }
    })
  )

  it.scopedLive("answers every repeat with 409 when the option is set (contract decision 88)", () =>
    Effect.gen(function* () {
      const { code, quota, redeem } = yield* started({ duplicateRedemption: "conflict" })
      const body = { code: yield* code(), request_id: "request-1" }
      assert.strictEqual((yield* redeem(body)).status, 200)
      const again = yield* redeem(body)
      assert.strictEqual(again.status, 409)
      assert.strictEqual(again.json["error"], "invalid_request")
      assert.strictEqual((yield* quota())["total_capacity_size"], 30)
    })
  )

  it.scopedLive("hides which codes exist when the option is set (contract decision 91)", () =>
    Effect.gen(function* () {
      const { code, redeem, redeemAs, server } = yield* started({ hideUnknownCodes: true })
      const gone = yield* code()
      yield* redeemAs(yield* server.grantTo("Loom", "Cy"), { code: gone, request_id: "request-1" })
      const used = yield* redeem({ code: gone, request_id: "request-2" })
      const unknown = yield* redeem({ code: "nobody knows it", request_id: "request-3" })
      assert.strictEqual(unknown.status, 400)
      assert.deepStrictEqual({ ...unknown.json, request_id: "" }, { ...used.json, request_id: "" })
    })
  )

  it.scopedLive("answers only five of a hundred parallel guesses (contract decision 95)", () =>
    Effect.gen(function* () {
      const { code, newId, redeem, redeemAs, server } = yield* started()
      const guesses = Array.from({ length: 100 }, () => ({ code: `guess ${newId()}`, request_id: newId() }))
      const answers = yield* Effect.forEach(guesses, redeem, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ status }) => status === 404).length, 5)
      const limited = answers.filter(({ status }) => status === 429)
      assert.strictEqual(limited.length, 95)
      for (const answer of limited) {
        assert.strictEqual(answer.json["error"], "rate_limited")
        const wait = Number(answer.headers.get("retry-after"))
        assert.isTrue(wait > 500 && wait <= 600, `${wait}`)
      }
      // A right code has to wait as well, in every application; what was answered before is answered again.
      const right = { code: yield* code(), request_id: newId() }
      assert.strictEqual((yield* redeem(right)).status, 429)
      assert.strictEqual((yield* redeemAs(yield* server.grantTo("Other", "Bea"), right)).status, 429)
      const told = guesses[answers.findIndex(({ status }) => status === 404)]
      assert.strictEqual((yield* redeem(told)).status, 404)
      assert.strictEqual((yield* redeemAs(yield* server.grantTo("Loom", "Cy"), right)).status, 200)
    })
  )

  it.scopedLive("writes no code into logs and spans, also after an internal error", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const native = yield* Effect.tracer
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (...given) => {
          const span = native.span(...given)
          spans.push(span)
          return span
        },
        context: (run, fiber) => native.context(run, fiber)
      })
      const logger = Logger.map(Logger.logfmtLogger, (line) => void told.push(line))
      const secrets = yield* Effect.gen(function* () {
        const { code, redeem, server } = yield* started()
        const given = yield* code()
        const [voucher] = yield* server.redemptionCodes.createVouchers({ credits: 1 })
        const gift = [voucher?.giftKey, voucher?.giftCode].map((each) => Redacted.value(each ?? Redacted.make("")))
        const breakdown = (change: string) =>
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(change)).pipe(
            Effect.provide(Database.layer(server.dataDir))
          )
        yield* breakdown(
          "CREATE TRIGGER breakdown BEFORE INSERT ON credit_ledger BEGIN SELECT RAISE(ABORT, 'disk'); END"
        )
        const body = { code: given, request_id: "request-1" }
        const broken = yield* redeem(body)
        assert.strictEqual(broken.status, 500)
        assert.notInclude(broken.text, given)
        yield* breakdown("DROP TRIGGER breakdown")
        assert.strictEqual((yield* redeem(body)).status, 200)
        const [gift_key, gift_code] = gift
        assert.strictEqual((yield* redeem({ gift_key, gift_code, request_id: "request-2" })).status, 200)
        assert.strictEqual((yield* redeem({ code: "a wrong code", request_id: "request-3" })).status, 404)
        assert.strictEqual((yield* redeem({ code: [given], request_id: "request-4" })).status, 400)
        return [given, ...gift, "a wrong code"]
      }).pipe(
        Effect.withTracer(tracer),
        Effect.provide(Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.All)))
      )
      for (const span of spans)
        told.push(span.name, ...[...span.attributes.values()].map(String), inspect(span.status, { depth: 20 }))
      assert.isTrue(told.some((text) => text.includes("a request failed")))
      assert.isTrue(told.includes("Redemptions.redeem"))
      for (const secret of secrets) {
        assert.isAbove(secret.length, 8)
        assert.deepStrictEqual(
          told.filter((text) => text.includes(secret)),
          []
        )
      }
    })
  )

  it.scopedLive("requires its own scope", () =>
    Effect.gen(function* () {
      const { code, redeemAs, server } = yield* started()
      const tokens = yield* Api.connect(server, { scope: "user.credit.readable" })
      const refused = yield* redeemAs(tokens.access_token, { code: yield* code(), request_id: "request-1" })
      assert.strictEqual(refused.status, 403)
      assert.strictEqual(refused.json["error"], "insufficient_scope")
      assert.include(refused.headers.get("www-authenticate") ?? "", "user.credit.exchange")
    })
  )

  it.scopedLive("repeats its responses after a restart, and stores no readable code", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const { code, redeem, server } = yield* started({}, dataDir)
          const given = yield* code()
          const [voucher] = yield* server.redemptionCodes.createVouchers({ credits: 1 })
          const body = { code: given, request_id: "request-1" }
          const wrong = { code: "a wrong code", request_id: "request-2" }
          const gift = [voucher?.giftKey, voucher?.giftCode].map((each) => Redacted.value(each ?? Redacted.make("")))
          const secrets = [given, "a wrong code", ...gift]
          return { body, wrong, first: yield* redeem(body), refused: yield* redeem(wrong), secrets }
        })
      )
      const bytes = Fs.readdirSync(dataDir)
        .filter((name) => name.startsWith("server.sqlite"))
        .map((name) => Fs.readFileSync(Path.join(dataDir, name), "latin1"))
        .join("")
      assert.include(bytes, String(before.first.json["flow_no"]))
      for (const secret of before.secrets) assert.notInclude(bytes, secret)

      const { quota, redeem } = yield* started({ hideUnknownCodes: true }, dataDir)
      assert.strictEqual((yield* redeem(before.body)).text, before.first.text)
      assert.strictEqual((yield* redeem(before.wrong)).status, before.refused.status)
      assert.strictEqual((yield* quota())["total_capacity_size"], 30)
    })
  )
})
