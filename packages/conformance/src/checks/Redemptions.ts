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
  errorResponse,
  errorResponses,
  status,
  requestIdMatches,
  type Expectation
} from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Matcher from "../Matcher.ts"
import { refresh } from "../TokenEndpoint.ts"
import { at } from "../internal/Json.ts"

const path = "/redemptions"
const code = "NO-SUCH-CODE"
const gift_key = "NO-SUCH-CARD"
const gift_code = "NO-SUCH-SECRET"
const invalidRequest = errorResponse(400, "invalid_request")
const invalidGrant = errorResponse(400, "invalid_grant")

const unusedCode = Api.takeSetting("code")

const unusedVoucher = Effect.map(Api.takeSetting("voucher"), (value) => {
  const [gift_key, gift_code] = value.split(/:(.*)/s)
  return { gift_key, gift_code }
})

const capacity = Effect.map(Api.send(Api.get("/credit")), ({ json }) => at(json, "total_capacity_size"))

const redemption = [
  status(200),
  jsonObject,
  field("status", Matcher.nonEmptyString),
  field("flow_no", Matcher.nonEmptyString),
  field("credits", Matcher.int64(Matcher.positiveInteger)),
  field("open_id", Matcher.nonEmptyString)
]

const fields: ReadonlyArray<Check> = [
  ...lengthLimits("code", 1, 64, {}),
  ...lengthLimits("gift_key", 6, 64, { gift_code }),
  ...lengthLimits("gift_code", 8, 64, { gift_key }),
  ...lengthLimits("request_id", 8, 64, { code }),
  required("4.12", "no request_id is 400 invalid_request", Api.send(Api.post(path, { code }), invalidRequest)),
  required("4.12", "only a request_id is 400 invalid_request", redeem({}, invalidRequest)),
  required(
    "4.12",
    "a gift_key without its gift_code is 400 invalid_request",
    { decisions: [90] },
    redeem({ gift_key }, invalidRequest)
  ),
  required(
    "4.12",
    "a gift_code without its gift_key is 400 invalid_request",
    { decisions: [90] },
    redeem({ gift_code }, invalidRequest)
  ),
  decided(
    "4.12",
    "a code together with a gift card is 400 invalid_request",
    { decisions: [90] },
    redeem({ code, gift_key, gift_code }, invalidRequest)
  )
]

const unknownCode: ReadonlyArray<Check> = [
  required(
    "7.1",
    "an unknown code is 404 not_found or 400 invalid_grant",
    { decisions: [91] },
    redeemUnknown(errorResponses([404, "not_found"], [400, "invalid_grant"]))
  ),
  decided(
    "7.1",
    "an unknown code is 404 not_found",
    { decisions: [91] },
    redeemUnknown(errorResponse(404, "not_found"))
  ),
  required(
    "4.12",
    "a refusal does not repeat the code",
    { decisions: [95] },
    redeemUnknown(notInBody("NO-SUCH-CODE-7F3A9C", "the code"))
  ),
  decided(
    "7.1",
    "the request_id of a refusal is the trace id, not the caller's",
    { decisions: [13] },
    redeemUnknown(requestIdMatches, notInBody("conformance-", "the caller's request_id"))
  )
]

const redeeming: ReadonlyArray<Check> = [
  required(
    "4.12",
    "redeeming a code is 200 with status, flow_no, credits and open_id",
    { needs: ["code"] },
    function* () {
      // Eight characters, the least that a request id may have.
      yield* redeem({ code: yield* unusedCode, request_id: freshId().slice(-8) }, ...redemption)
    }
  ),
  required("4.12", "a voucher is redeemed by its key and secret", { needs: ["voucher"] }, function* () {
    yield* redeem({ ...(yield* unusedVoucher), request_id: freshId().padEnd(64, "x") }, ...redemption)
  }),
  required("2.4", "redeemed credits are added to the quota", { needs: ["code"] }, function* () {
    const code = yield* unusedCode
    const capacityBefore = yield* capacity
    const { json } = yield* redeem({ code }, status(200))
    const increase = Number(yield* capacity) - Number(capacityBefore)
    yield* Api.assert(
      increase >= Number(at(json, "credits")),
      `total_capacity_size grows by the credits; it grew by ${increase}`
    )
  }),
  decided(
    "4.12",
    "a repeated request has the same response and issues no more credits",
    { needs: ["code"], decisions: [88, 89, 96] },
    function* () {
      const body = { code: yield* unusedCode, request_id: freshId() }
      const first = yield* redeem(body, status(200))
      const capacityBefore = yield* capacity
      const second = yield* redeem(body, status(200))
      yield* Api.assert(first.text === second.text, "both responses are identical")
      yield* Api.assert(capacityBefore === (yield* capacity), "the repeated request adds no credits")
      yield* redeem({ ...body, code: "ANOTHER-CODE" }, errorResponse(409, "invalid_request"))
    }
  ),
  required("7.1", "a used code is 400 invalid_grant", { needs: ["code"], decisions: [91] }, function* () {
    const code = yield* unusedCode
    yield* redeem({ code }, status(200))
    yield* redeem({ code }, invalidGrant)
  }),
  required("7.1", "an expired code is 400 invalid_grant", { needs: ["expiredCode"], decisions: [91] }, function* () {
    yield* redeem({ code: yield* Api.setting("expiredCode") }, invalidGrant)
  }),
  required(
    "4.12",
    "one of ten concurrent redemptions of a code issues credits",
    { needs: ["code"], decisions: [88] },
    function* () {
      const body = { code: yield* unusedCode, request_id: freshId() }
      const responses = yield* Effect.replicateEffect(redeem(body), 10, { concurrency: 10 })
      const flows = new Set(responses.filter(({ status }) => status === 200).map(({ json }) => at(json, "flow_no")))
      yield* Api.assert(flows.size === 1, `ten requests with one request_id make one redemption, not ${flows.size}`)
    }
  ),
  required("7.1", "a voucher with a wrong secret is refused and stays valid", { needs: ["voucher"] }, function* () {
    const voucher = yield* unusedVoucher
    const refused = errorResponses([404, "not_found"], [400, "invalid_grant"])
    yield* redeem({ ...voucher, gift_code: "WRONG-SECRET-0123" }, refused, noField("credits"))
    yield* redeem(voucher, status(200))
  })
]

const results: ReadonlyArray<Check> = [
  decided("2.10", "the status of a redemption is success", { needs: ["code"], decisions: [93] }, function* () {
    yield* redeem({ code: yield* unusedCode }, status(200), field("status", Matcher.is("success")))
  }),
  decided("2.10", "credits is a number, not a string", { needs: ["code"], decisions: [21, 94] }, function* () {
    yield* redeem({ code: yield* unusedCode }, status(200), field("credits", Matcher.positiveInteger))
  }),
  decided(
    "2.10",
    "open_id equals the one of the token response",
    { needs: ["code", "refreshToken"], decisions: [35] },
    function* () {
      const redeemed = yield* redeem({ code: yield* unusedCode }, status(200))
      const refreshed = yield* refresh()
      yield* Api.verify(redeemed, field("open_id", Matcher.is(at(refreshed.json, "open_id"))))
    }
  ),
  decided("4.12", "the response to POST /redemptions is not cached", { decisions: [46] }, redeemUnknown(notStored))
]

/** Redemption (contract 2.10, 4.12, 8). Wrong codes are few: services count them. */
export const checks = [...fields, ...unknownCode, ...redeeming, ...results]

/** Redeems with a new request id, unless `body` has one. */
function redeem(body: Readonly<Record<string, unknown>>, ...expectations: ReadonlyArray<Expectation>) {
  return Effect.suspend(() => Api.send(Api.post(path, { request_id: freshId(), ...body }), ...expectations))
}

/** Checks the response to a code that does not exist; the suite sends one for all checks. */
function redeemUnknown(...expectations: ReadonlyArray<Expectation>): Run {
  return Effect.flatMap(CheckContext, ({ unknownCode }) =>
    Effect.flatMap(unknownCode, (response) => Api.verify(response, ...expectations))
  )
}

/** One character too few and one too many, with other fields that are valid. */
function lengthLimits(name: string, min: number, max: number, rest: Readonly<Record<string, string>>) {
  return [min - 1, max + 1].map((length) =>
    required(
      "8",
      `a ${name} of ${length} characters is 400 invalid_request`,
      { decisions: [92] },
      redeem({ ...rest, [name]: "x".repeat(length) }, invalidRequest)
    )
  )
}
