import { assert, describe, it } from "@effect/vitest"
import * as Redemptions from "@heddle/core/Redemptions"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as Client from "./Client.ts"
import * as Service from "./Service.ts"
import * as Recorder from "./Recorder.ts"

const on = (url: string) => Effect.provide(Redemptions.Redemptions, Client.layer(url))

const success = { status: 200, body: { status: "success", flow_no: "F1", credits: "500", open_id: "o" } }
const lost: Service.Reply = (response) => response.destroy()
const refused = (status: number, error: string): Service.Reply => ({ status, body: { error, request_id: "trace" } })

const code = Redacted.make("SECRET-CODE-1")
const key = "order-4711-key"

const keysOf = (seen: ReadonlyArray<Service.Seen>) => seen.map(({ body }): unknown => JSON.parse(body).request_id)

describe("redeem", () => {
  it.live("speaks the contract in both modes", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => success)
      const redemptions = yield* on(service.url)
      const redemption = yield* redemptions.redeem(Redacted.make(" SECRET-CODE-1\n"))
      assert.deepStrictEqual(
        { ...redemption },
        { status: "success", flowNo: "F1", credits: 500, openId: redemption.openId }
      )
      yield* redemptions.redeemVoucher(
        { key: Redacted.make("CARD01"), code: Redacted.make(" PASSWORD ") },
        { idempotencyKey: key }
      )
      const [first, second] = service.seen.map(({ body }) => JSON.parse(body))
      assert.match(first.request_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.deepStrictEqual(first, { code: "SECRET-CODE-1", request_id: first.request_id })
      assert.deepStrictEqual(second, { gift_key: "CARD01", gift_code: "PASSWORD", request_id: key })
    }).pipe(Effect.scoped)
  )

  it.live("retries with the same key after a lost answer or a failure of the service (contract decision 96)", () =>
    Effect.gen(function* () {
      for (const first of [lost, refused(500, "server_error"), refused(503, "server_error")]) {
        const service = yield* Service.make((_, nth) => (nth === 1 ? first : success))
        yield* (yield* on(service.url)).redeem(code)
        const keys = keysOf(service.seen)
        assert.lengthOf(keys, 2)
        assert.strictEqual(keys[0], keys[1])
      }
    }).pipe(Effect.scoped)
  )

  it.live("uses a new UUID of version 7 for each call (contract decision 89)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => success)
      const redemptions = yield* on(service.url)
      yield* redemptions.redeem(code)
      yield* redemptions.redeem(code)
      assert.strictEqual(new Set(keysOf(service.seen)).size, 2)
      for (const key of keysOf(service.seen)) assert.match(String(key), /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/)
    }).pipe(Effect.scoped)
  )

  it.live("returns the key where the outcome stays unknown", () =>
    Effect.gen(function* () {
      const service = yield* Service.make((_, nth) => (nth === 1 ? lost : refused(400, "invalid_request")))
      const error = yield* Effect.flip((yield* on(service.url)).redeem(code))
      assert.deepInclude(
        { ...error },
        { _tag: "RedemptionOutcomeUnknown", idempotencyKey: String(keysOf(service.seen)[0]), requestId: "trace" }
      )
      assert.notInclude(inspect(error, { depth: 9 }) + JSON.stringify(error) + error.message, "SECRET")
    }).pipe(Effect.scoped)
  )

  it.live("does not treat a refusal after a lost answer as certain", () =>
    Effect.gen(function* () {
      for (const [status, word] of [
        [400, "invalid_grant"],
        [404, "not_found"]
      ] as const) {
        const service = yield* Service.make((_, nth) => (nth === 1 ? lost : refused(status, word)))
        const error = yield* Effect.flip((yield* on(service.url)).redeem(code))
        assert.deepInclude({ ...error }, { _tag: "RefusedAfterLostAnswer", status, requestId: "trace" })
        assert.match(error.message, /may have redeemed it/)
      }
    }).pipe(Effect.scoped)
  )

  it.live("does not retry after a success that it cannot decode", () =>
    Effect.gen(function* () {
      for (const [change, path] of [
        [{ credits: "many" }, "credits"],
        [{ credits: 2 ** 60 }, "credits"],
        [{ credits: "9007199254740993" }, "credits"],
        [{ flow_no: undefined }, "flow_no"]
      ] as const) {
        const headers = { "x-request-id": "trace" }
        const service = yield* Service.make(() => ({ status: 200, headers, body: { ...success.body, ...change } }))
        const error = yield* Effect.flip((yield* on(service.url)).redeem(code))
        assert.deepInclude({ ...error }, { _tag: "ContractViolation", path, status: 200, requestId: "trace" })
        assert.include(error.message, "do not send it again")
        assert.lengthOf(service.seen, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("passes clear refusals on, once", () =>
    Effect.gen(function* () {
      for (const [status, word, tag] of [
        [400, "invalid_request", "InvalidRequest"],
        [400, "invalid_grant", "InvalidGrant"],
        [403, "insufficient_scope", "InsufficientScope"],
        [404, "not_found", "NotFound"],
        [409, "invalid_request", "Conflict"]
      ] as const) {
        const service = yield* Service.make(() => refused(status, word))
        assert.strictEqual((yield* Effect.flip((yield* on(service.url)).redeem(code)))._tag, tag)
        assert.lengthOf(service.seen, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("reads 409 as handled after an unclear try or with a given key (contract decision 88)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make((_, nth) => (nth === 1 ? lost : refused(409, "invalid_request")))
      const redemptions = yield* on(service.url)
      const error = yield* Effect.flip(redemptions.redeem(code))
      assert.deepInclude({ ...error }, { _tag: "AlreadyHandled", idempotencyKey: String(keysOf(service.seen)[0]) })
      const kept = yield* Effect.flip(redemptions.redeem(code, { idempotencyKey: key }))
      assert.deepInclude({ ...kept }, { _tag: "AlreadyHandled", idempotencyKey: key, status: 409, requestId: "trace" })
    }).pipe(Effect.scoped)
  )

  it.live("distinguishes a pending redemption from a success (contract decision 93)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ({ status: 200, body: { ...success.body, status: "processing" } }))
      const error = yield* Effect.flip((yield* on(service.url)).redeem(code, { idempotencyKey: key }))
      assert.deepInclude(
        { ...error },
        { _tag: "RedemptionPending", status: "processing", flowNo: "F1", idempotencyKey: key }
      )
      assert.lengthOf(service.seen, 1)
    }).pipe(Effect.scoped)
  )

  it.live("shows the secrets in no error and no span, though the service echoes them", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ body }, nth) => ({
        status: [400, 403, 404, 409][nth % 4] ?? 400,
        body: {
          error: "invalid_request",
          error_description: `You sent ${Object.values(JSON.parse(body)).join(" and ")}`
        }
      }))
      const redemptions = yield* on(service.url)
      for (const attempt of [
        redemptions.redeem(code),
        redemptions.redeemVoucher({ key: Redacted.make("SECRET-CARD"), code: Redacted.make("SECRET-PASSWORD") })
      ]) {
        for (const _ of [1, 2, 3, 4]) {
          const error = yield* Effect.flip(attempt)
          assert.notInclude(inspect(error, { depth: 9 }) + JSON.stringify(error) + error.message, "SECRET")
          assert.notInclude(yield* Recorder.spansOf(attempt), "SECRET")
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("closes the connection when its caller is interrupted", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => () => undefined)
      yield* Service.assertClosesOnInterrupt(service, (yield* on(service.url)).redeem(code))
    }).pipe(Effect.scoped)
  )
})

describe("bounds", () => {
  const emoji = "😀"

  it.live("counts code points, after trimming (contract decision 92)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => success)
      const { redeem, redeemVoucher } = yield* on(service.url)
      yield* redeem(Redacted.make(emoji.repeat(64)))
      yield* redeem(Redacted.make(`  ${"x".repeat(64)}  `), { idempotencyKey: emoji.repeat(64) })
      yield* redeemVoucher({ key: Redacted.make(emoji.repeat(6)), code: Redacted.make(emoji.repeat(8)) })
      assert.lengthOf(service.seen, 3)
    }).pipe(Effect.scoped)
  )

  it.live("refuses impossible input before sending, without showing it (contract decision 90)", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => success)
      const { redeem, redeemVoucher } = yield* on(service.url)
      const voucher = (key: string, code: string) =>
        redeemVoucher({ key: Redacted.make(key), code: Redacted.make(code) })
      for (const [attempt, field, problem] of [
        [redeem(Redacted.make(" \t")), "code", "missing"],
        [redeem(Redacted.make("Z".repeat(65))), "code", "too long"],
        [voucher("", "ZZZZZZZZ"), "giftKey", "missing"],
        [voucher("ZZZZZ", "ZZZZZZZZ"), "giftKey", "too short"],
        [voucher("ZZZZZZ", ""), "giftCode", "missing"],
        [voucher("ZZZZZZ", `${emoji.repeat(7)} `), "giftCode", "too short"],
        [voucher("ZZZZZZ", "Z".repeat(65)), "giftCode", "too long"],
        [redeem(code, { idempotencyKey: "ZZZZZZZ" }), "idempotencyKey", "too short"],
        [redeem(code, { idempotencyKey: "Z".repeat(65) }), "idempotencyKey", "too long"]
      ] as const) {
        const error = yield* Effect.flip(attempt)
        assert.deepInclude({ ...error }, { _tag: "InvalidRedemption", field, problem })
        assert.notMatch(error.message + JSON.stringify(error) + inspect(error, { depth: 9 }), /ZZ|SECRET/)
      }
      assert.lengthOf(service.seen, 0)
    }).pipe(Effect.scoped)
  )
})
