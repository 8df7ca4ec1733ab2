import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check } from "../Check.ts"
import { at, field, header, jsonObject, noField, nowhere, refusal, refusals, status } from "../Expect.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Shape from "../Shape.ts"
import { Wire } from "../Wire.ts"

const path = "/redemptions"
const redeem = (body: Readonly<Record<string, unknown>>) => Api.post(path, { request_id: freshId(), ...body })

const codeLength = bounds("code", 1, 64, {})

const giftKeyLength = bounds("gift_key", 6, 64, { gift_code: "NO-SUCH-SECRET" })

const giftCodeLength = bounds("gift_code", 8, 64, { gift_key: "NO-SUCH-CARD" })

const requestIdLength = bounds("request_id", 8, 64, { code: "NO-SUCH-CODE" })

const noRequestId = required(
  "4.12",
  "no request_id is 400 invalid_request",
  Api.expecting(Api.post(path, { code: "NO-SUCH-CODE" }), refusal(400, "invalid_request"))
)

const requestIdAlone = required(
  "4.12",
  "a request_id alone is 400 invalid_request",
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

const bothModes = ruling(
  90,
  "4.12",
  "both modes at once are 400 invalid_request",
  Api.expecting(
    redeem({ code: "NO-SUCH-CODE", gift_key: "NO-SUCH-CARD", gift_code: "NO-SUCH-SECRET" }),
    refusal(400, "invalid_request")
  )
)

const unknownCode = required(
  "7.1",
  "an unknown code is 404 not_found or 400 invalid_grant",
  Effect.flatMap(unknown(), (answer) => Api.verify(answer, refusals([404, "not_found"], [400, "invalid_grant"]))),
  { decisions: [91] }
)

const unknownCodeNotFound = ruling(
  91,
  "7.1",
  "an unknown code is 404 not_found",
  Effect.flatMap(unknown(), (answer) => Api.verify(answer, refusal(404, "not_found")))
)

const refusalHidesCode = required(
  "4.12",
  "a refusal does not repeat the code",
  Effect.flatMap(unknown(), (answer) => Api.verify(answer, nowhere("NO-SUCH-CODE-7F3A9C", "the code"))),
  { decisions: [95] }
)

const refusalRequestId = ruling(
  13,
  "7.1",
  "request_id of a refusal is the trace id, not the caller's",
  Effect.flatMap(unknown(), (answer) =>
    Api.verify(
      answer,
      field("request_id", Shape.is(answer.headers["x-request-id"])),
      nowhere("conformance-", "the caller's request_id")
    )
  )
)

const redeemCode = required(
  "4.12",
  "a code is redeemed: 200 with status, flow_no, credits and open_id",
  Effect.gen(function* () {
    const code = yield* Api.take("code")
    // Eight characters, the least that a request id may have.
    const answer = yield* Api.send(redeem({ code, request_id: freshId().slice(-8) }))
    yield* Api.verify(answer, status(200), jsonObject, ...result)
  }),
  { needs: ["code"] }
)

const redeemVoucher = required(
  "4.12",
  "a voucher is redeemed by its key and secret",
  Effect.gen(function* () {
    const [gift_key, gift_code] = (yield* Api.take("voucher")).split(/:(.*)/s)
    const answer = yield* Api.send(redeem({ gift_key, gift_code, request_id: freshId().padEnd(64, "x") }))
    yield* Api.verify(answer, status(200), jsonObject, ...result)
  }),
  { needs: ["voucher"] }
)

const creditsAdded = required(
  "2.4",
  "redeemed credits are in the quota",
  Effect.gen(function* () {
    const code = yield* Api.take("code")
    const before = yield* Api.send(Api.get("/credit"))
    const answer = yield* Api.send(redeem({ code }))
    const after = yield* Api.send(Api.get("/credit"))
    yield* Api.verify(answer, status(200))
    const grown = Number(at(after.json, "total_capacity_size")) - Number(at(before.json, "total_capacity_size"))
    yield* Api.claim(
      grown >= Number(at(answer.json, "credits")),
      `total_capacity_size grows by the credits; it grew by ${grown}`
    )
  }),
  { needs: ["code"] }
)

const idempotentRequest = ruling(
  88,
  "4.12",
  "the same request again is answered the same, and nothing is issued twice",
  Effect.gen(function* () {
    const body = { code: yield* Api.take("code"), request_id: freshId() }
    const first = yield* Api.send(Api.post(path, body))
    const before = yield* Api.send(Api.get("/credit"))
    const second = yield* Api.send(Api.post(path, body))
    const after = yield* Api.send(Api.get("/credit"))
    yield* Api.verify(first, status(200))
    yield* Api.verify(second, status(200))
    yield* Api.claim(first.text === second.text, "both answers are the same to the letter")
    yield* Api.claim(
      at(before.json, "total_capacity_size") === at(after.json, "total_capacity_size"),
      "the repeated request adds no credits"
    )
    yield* Api.expecting(Api.post(path, { ...body, code: "ANOTHER-CODE" }), refusal(409, "invalid_request"))
  }),
  { needs: ["code"], decisions: [89, 96] }
)

const usedCode = required(
  "7.1",
  "a code that was used is 400 invalid_grant",
  Effect.gen(function* () {
    const code = yield* Api.take("code")
    yield* Api.verify(yield* Api.send(redeem({ code })), status(200))
    yield* Api.verify(yield* Api.send(redeem({ code })), refusal(400, "invalid_grant"))
  }),
  { needs: ["code"], decisions: [91] }
)

const expiredCode = required(
  "7.1",
  "a code that has expired is 400 invalid_grant",
  Effect.gen(function* () {
    const code = yield* Api.given("expiredCode")
    yield* Api.expecting(redeem({ code }), refusal(400, "invalid_grant"))
  }),
  { needs: ["expiredCode"], decisions: [91] }
)

const concurrentRedemptions = required(
  "4.12",
  "of ten redemptions of one code at once one issues credits",
  Effect.gen(function* () {
    const code = yield* Api.take("code")
    const body = { code, request_id: freshId() }
    const answers = yield* Effect.all(
      Array.from({ length: 10 }, () => Api.send(Api.post(path, body))),
      { concurrency: 10 }
    )
    const flows = new Set(answers.filter(({ status }) => status === 200).map(({ json }) => at(json, "flow_no")))
    yield* Api.claim(flows.size === 1, `ten requests with one request_id make one redemption, not ${flows.size}`)
  }),
  { needs: ["code"], decisions: [88] }
)

const wrongVoucherSecret = required(
  "7.1",
  "a voucher with a wrong secret is refused, and stays good",
  Effect.gen(function* () {
    const [gift_key, gift_code] = (yield* Api.take("voucher")).split(/:(.*)/s)
    const wrong = yield* Api.send(redeem({ gift_key, gift_code: "WRONG-SECRET-0123" }))
    yield* Api.verify(wrong, refusals([404, "not_found"], [400, "invalid_grant"]), noField("credits"))
    yield* Api.verify(yield* Api.send(redeem({ gift_key, gift_code })), status(200))
  }),
  { needs: ["voucher"] }
)

const redemptionStatus = ruling(
  93,
  "2.10",
  "the status of a redemption is success",
  Effect.gen(function* () {
    const code = yield* Api.take("code")
    yield* Api.expecting(redeem({ code }), status(200), field("status", Shape.is("success")))
  }),
  { needs: ["code"] }
)

const openId = ruling(
  35,
  "2.10",
  "open_id is the one of the token response",
  Effect.gen(function* () {
    const wire = yield* Wire
    const code = yield* Api.take("code")
    const redeemed = yield* Api.send(redeem({ code }))
    const fields = [
      ["grant_type", "refresh_token"],
      ["refresh_token", yield* wire.refreshToken],
      ["client_id", yield* Api.given("clientId")],
      ["client_secret", yield* Api.given("clientSecret")]
    ] as const
    const refreshed = yield* Api.send(Api.form("/token", fields))
    const newer = at(refreshed.json, "refresh_token")
    if (typeof newer === "string" && newer !== "") yield* wire.renewed(newer)
    yield* Api.verify(redeemed, status(200), field("open_id", Shape.is(at(refreshed.json, "open_id"))))
  }),
  { needs: ["code", "refreshToken"] }
)

const notCached = ruling(
  46,
  "4.12",
  "the answer of POST /redemptions is not stored by caches",
  Effect.flatMap(unknown(), (answer) => Api.verify(answer, header("cache-control", /\bno-store\b/i)))
)

/** Redemption (2.10, 4.12, 8). Wrong codes are few: services count them. */
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
  field("status", Shape.filled),
  field("flow_no", Shape.filled),
  field("credits", Shape.positive),
  field("open_id", Shape.filled)
]

/** One character too few and one too many, beside fields that would be in order. */
function bounds(name: string, least: number, most: number, rest: Readonly<Record<string, string>>) {
  return [
    ["shorter", least - 1],
    ["longer", most + 1]
  ].map(([what, length]) =>
    required(
      "8",
      `a ${name} of ${String(length)} characters, one ${String(what)} than allowed, is 400 invalid_request`,
      Effect.suspend(() =>
        Api.expecting(redeem({ ...rest, [name]: "x".repeat(Number(length)) }), refusal(400, "invalid_request"))
      ),
      { decisions: [92] }
    )
  )
}

function unknown() {
  return Effect.flatMap(Wire, (wire) => wire.unknownCode)
}
