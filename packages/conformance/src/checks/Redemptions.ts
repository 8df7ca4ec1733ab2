import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import {
  field,
  jsonObject,
  noField,
  notStored,
  notInBody,
  refusal,
  refusals,
  status,
  type Expectation
} from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Matcher from "../Matcher.ts"
import { refresh } from "../TokenEndpoint.ts"
import { at } from "../internal/Json.ts"

const path = "/redemptions"
const unknownCodeResponse = Effect.flatMap(CheckContext, (context) => context.unknownCode)
const redeem = (body: Readonly<Record<string, unknown>>) => Api.post(path, { request_id: freshId(), ...body })

const codeLength = lengthLimits("code", 1, 64, {})

const giftKeyLength = lengthLimits("gift_key", 6, 64, { gift_code: "NO-SUCH-SECRET" })

const giftCodeLength = lengthLimits("gift_code", 8, 64, { gift_key: "NO-SUCH-CARD" })

const requestIdLength = lengthLimits("request_id", 8, 64, { code: "NO-SUCH-CODE" })

const noRequestId = required(
  "4.12",
  "no request_id is 400 invalid_request",
  Api.expecting(Api.post(path, { code: "NO-SUCH-CODE" }), refusal(400, "invalid_request"))
)

const requestIdAlone = required(
  "4.12",
  "only a request_id is 400 invalid_request",
  Api.expecting(redeem({}), refusal(400, "invalid_request"))
)

const giftKeyAlone = required(
  "4.12",
  "a gift_key without its gift_code is 400 invalid_request",
  Api.expecting(redeem({ gift_key: "NO-SUCH-CARD" }), refusal(400, "invalid_request")),
  { decisions: [90] }
)

const giftCodeAlone = required(
  "4.12",
  "a gift_code without its gift_key is 400 invalid_request",
  Api.expecting(redeem({ gift_code: "NO-SUCH-SECRET" }), refusal(400, "invalid_request")),
  { decisions: [90] }
)

const bothModes = decided(
  90,
  "4.12",
  "a code together with a gift card is 400 invalid_request",
  Api.expecting(
    redeem({ code: "NO-SUCH-CODE", gift_key: "NO-SUCH-CARD", gift_code: "NO-SUCH-SECRET" }),
    refusal(400, "invalid_request")
  )
)

const unknownCode = required(
  "7.1",
  "an unknown code is 404 not_found or 400 invalid_grant",
  expectUnknownCode(refusals([404, "not_found"], [400, "invalid_grant"])),
  { decisions: [91] }
)

const unknownCodeNotFound = decided(
  91,
  "7.1",
  "an unknown code is 404 not_found",
  expectUnknownCode(refusal(404, "not_found"))
)

const refusalHidesCode = required(
  "4.12",
  "a refusal does not repeat the code",
  expectUnknownCode(notInBody("NO-SUCH-CODE-7F3A9C", "the code")),
  { decisions: [95] }
)

const refusalRequestId = decided(
  13,
  "7.1",
  "the request_id of a refusal is the trace id, not the caller's",
  Effect.flatMap(unknownCodeResponse, (response) =>
    Api.verify(
      response,
      field("request_id", Matcher.is(response.headers["x-request-id"])),
      notInBody("conformance-", "the caller's request_id")
    )
  )
)

const redeemCode = required(
  "4.12",
  "redeeming a code is 200 with status, flow_no, credits and open_id",
  Effect.gen(function* () {
    const code = yield* Api.takeSetting("code")
    // Eight characters, the least that a request id may have.
    const response = yield* Api.send(redeem({ code, request_id: freshId().slice(-8) }))
    yield* Api.verify(response, status(200), jsonObject, ...result)
  }),
  { needs: ["code"] }
)

const redeemVoucher = required(
  "4.12",
  "a voucher is redeemed by its key and secret",
  Effect.gen(function* () {
    const [gift_key, gift_code] = (yield* Api.takeSetting("voucher")).split(/:(.*)/s)
    const response = yield* Api.send(redeem({ gift_key, gift_code, request_id: freshId().padEnd(64, "x") }))
    yield* Api.verify(response, status(200), jsonObject, ...result)
  }),
  { needs: ["voucher"] }
)

const creditsAdded = required(
  "2.4",
  "redeemed credits are added to the quota",
  Effect.gen(function* () {
    const code = yield* Api.takeSetting("code")
    const before = yield* Api.send(Api.get("/credit"))
    const response = yield* Api.send(redeem({ code }))
    const after = yield* Api.send(Api.get("/credit"))
    yield* Api.verify(response, status(200))
    const grown = Number(at(after.json, "total_capacity_size")) - Number(at(before.json, "total_capacity_size"))
    yield* Api.assert(
      grown >= Number(at(response.json, "credits")),
      `total_capacity_size grows by the credits; it grew by ${grown}`
    )
  }),
  { needs: ["code"] }
)

const idempotentRequest = decided(
  88,
  "4.12",
  "a repeated request has the same response and issues no more credits",
  Effect.gen(function* () {
    const body = { code: yield* Api.takeSetting("code"), request_id: freshId() }
    const first = yield* Api.send(Api.post(path, body))
    const before = yield* Api.send(Api.get("/credit"))
    const second = yield* Api.send(Api.post(path, body))
    const after = yield* Api.send(Api.get("/credit"))
    yield* Api.verify(first, status(200))
    yield* Api.verify(second, status(200))
    yield* Api.assert(first.text === second.text, "both responses are identical")
    yield* Api.assert(
      at(before.json, "total_capacity_size") === at(after.json, "total_capacity_size"),
      "the repeated request adds no credits"
    )
    yield* Api.expecting(Api.post(path, { ...body, code: "ANOTHER-CODE" }), refusal(409, "invalid_request"))
  }),
  { needs: ["code"], decisions: [89, 96] }
)

const usedCode = required(
  "7.1",
  "a used code is 400 invalid_grant",
  Effect.gen(function* () {
    const code = yield* Api.takeSetting("code")
    yield* Api.verify(yield* Api.send(redeem({ code })), status(200))
    yield* Api.verify(yield* Api.send(redeem({ code })), refusal(400, "invalid_grant"))
  }),
  { needs: ["code"], decisions: [91] }
)

const expiredCode = required(
  "7.1",
  "an expired code is 400 invalid_grant",
  Effect.gen(function* () {
    const code = yield* Api.setting("expiredCode")
    yield* Api.expecting(redeem({ code }), refusal(400, "invalid_grant"))
  }),
  { needs: ["expiredCode"], decisions: [91] }
)

const concurrentRedemptions = required(
  "4.12",
  "one of ten concurrent redemptions of a code issues credits",
  Effect.gen(function* () {
    const code = yield* Api.takeSetting("code")
    const body = { code, request_id: freshId() }
    const responses = yield* Effect.all(
      Array.from({ length: 10 }, () => Api.send(Api.post(path, body))),
      { concurrency: 10 }
    )
    const flows = new Set(responses.filter(({ status }) => status === 200).map(({ json }) => at(json, "flow_no")))
    yield* Api.assert(flows.size === 1, `ten requests with one request_id make one redemption, not ${flows.size}`)
  }),
  { needs: ["code"], decisions: [88] }
)

const wrongVoucherSecret = required(
  "7.1",
  "a voucher with a wrong secret is refused and stays valid",
  Effect.gen(function* () {
    const [gift_key, gift_code] = (yield* Api.takeSetting("voucher")).split(/:(.*)/s)
    const wrong = yield* Api.send(redeem({ gift_key, gift_code: "WRONG-SECRET-0123" }))
    yield* Api.verify(wrong, refusals([404, "not_found"], [400, "invalid_grant"]), noField("credits"))
    yield* Api.verify(yield* Api.send(redeem({ gift_key, gift_code })), status(200))
  }),
  { needs: ["voucher"] }
)

const redemptionStatus = decided(
  93,
  "2.10",
  "the status of a redemption is success",
  Effect.gen(function* () {
    const code = yield* Api.takeSetting("code")
    yield* Api.expecting(redeem({ code }), status(200), field("status", Matcher.is("success")))
  }),
  { needs: ["code"] }
)

const openId = decided(
  35,
  "2.10",
  "open_id equals the one of the token response",
  Effect.gen(function* () {
    const code = yield* Api.takeSetting("code")
    const redeemed = yield* Api.send(redeem({ code }))
    const refreshed = yield* refresh()
    yield* Api.verify(redeemed, status(200), field("open_id", Matcher.is(at(refreshed.json, "open_id"))))
  }),
  { needs: ["code", "refreshToken"] }
)

const notCached = decided(46, "4.12", "the response to POST /redemptions is not cached", expectUnknownCode(notStored))

/** Redemption (contract 2.10, 4.12, 8). Wrong codes are few: services count them. */
export const checks: ReadonlyArray<Check> = [
  ...codeLength,
  ...giftKeyLength,
  ...giftCodeLength,
  ...requestIdLength,
  noRequestId,
  requestIdAlone,
  giftKeyAlone,
  giftCodeAlone,
  bothModes,
  unknownCode,
  unknownCodeNotFound,
  refusalHidesCode,
  refusalRequestId,
  redeemCode,
  redeemVoucher,
  creditsAdded,
  idempotentRequest,
  usedCode,
  expiredCode,
  concurrentRedemptions,
  wrongVoucherSecret,
  redemptionStatus,
  openId,
  notCached
]

const result = [
  field("status", Matcher.filled),
  field("flow_no", Matcher.filled),
  field("credits", Matcher.positive),
  field("open_id", Matcher.filled)
]

/** One character too few and one too many, with other fields that are valid. */
function lengthLimits(name: string, least: number, most: number, rest: Readonly<Record<string, string>>) {
  return [least - 1, most + 1].map((length) =>
    required(
      "8",
      `a ${name} of ${length} characters is 400 invalid_request`,
      Effect.suspend(() =>
        Api.expecting(redeem({ ...rest, [name]: "x".repeat(length) }), refusal(400, "invalid_request"))
      ),
      { decisions: [92] }
    )
  )
}

/** Checks the response to a code that does not exist; the suite sends one for all checks. */
function expectUnknownCode(...wanted: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(unknownCodeResponse, (response) => Api.verify(response, ...wanted))
}
