import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check, type Run } from "../Check.ts"
import { notStored, notInBody, refusal, status, field } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"

const path = "/user/phoneverification"
const verify = (phone_number: string) => Api.post(path, { phone_number })

const boundNumber = required(
  "4.4",
  "the bound number matches",
  withPhone((phone) => Api.expecting(verify(phone), status(200), field("matched", Matcher.is(true)))),
  needsPhone()
)

const mainlandWithoutPrefix = required(
  "4.4",
  "a mainland number is accepted without +86",
  withMainland((digits) => Api.expecting(verify(digits), status(200), field("matched", Matcher.is(true)))),
  needsPhone()
)

const separators = required(
  "4.4",
  "spaces, hyphens and parentheses are accepted",
  withMainland((digits) =>
    Api.expecting(
      verify(`+86 (${digits.slice(0, 3)}) ${digits.slice(3, 7)}-${digits.slice(7)}`),
      status(200),
      field("matched", Matcher.is(true))
    )
  ),
  needsPhone()
)

const doubleZeroPrefix = decided(
  55,
  "4.4",
  "0086 is read as +86",
  withMainland((digits) => Api.expecting(verify(`0086${digits}`), status(200), field("matched", Matcher.is(true)))),
  needsPhone()
)

const otherNumber = required(
  "2.3",
  "another number is 200 with matched false, and does not reveal the real number",
  withPhone((phone) => {
    const other = phone.slice(0, -2) + (phone.endsWith("11") ? "22" : "11")
    return Effect.flatMap(Api.send(verify(other)), (response) =>
      Api.verify(
        response,
        status(200),
        field("matched", Matcher.is(false)),
        notInBody(phone.slice(-8), "the real number"),
        masked(phone)
      )
    )
  }),
  needsPhone()
)

const matchedType = required(
  "2.3",
  "matched is a boolean",
  Api.expecting(verify("+86 13900000000"), status(200), field("matched", Matcher.boolean))
)

const hongKong = required(
  "4.4",
  "a Hong Kong number with +852 is accepted",
  Api.expecting(verify("+852 9123 4567"), status(200), field("matched", Matcher.boolean))
)

const macau = required(
  "4.4",
  "a Macau number with +853 is accepted",
  Api.expecting(verify("+853 6612 3456"), status(200), field("matched", Matcher.boolean))
)

const invalidNumbers = refused([
  ["a bare number of 8 digits", "62345678"],
  ["a Hong Kong number without +852", "91234567"],
  ["a Hong Kong number with 852 but no plus", "85291234567"],
  ["an empty number", ""],
  ["a string that is not a number", "not a number"],
  ["a mainland number that is one digit too short", "1381234567"],
  ["a mainland number that is one digit too long", "138123456789"]
])

const ambiguousNumbers = readings([
  ["a number with dots, which are no common separator", "138.1234.5678"],
  ["a number with an extension", "+8613812345678 ext 5"],
  ["two numbers", "13812345678, 13812345679"],
  ["a plus alone", "+"],
  ["a country code alone", "+86"],
  ["a number of spaces", "   "],
  ["a number of 400 digits", "1".repeat(400)],
  ["a mainland landline", "+86 10 6234 5678"],
  ["a number with a line break", "138\n12345678"],
  ["a foreign number without a plus", "4155552671"]
])

const refusalHidesNumber = decided(
  56,
  "4.4",
  "a refusal does not repeat the number",
  Effect.flatMap(Api.send(verify("138.9876.5432")), (response) =>
    Api.verify(response, status(400), notInBody("9876", "the number"))
  )
)

const notCached = decided(
  46,
  "4.4",
  "the response to POST /user/phoneverification is not cached",
  Api.expecting(verify("62345678"), notStored)
)

/** Phone verification (contract 2.3, 4.4). Few of these reach a comparison: services count those. */
export const checks: ReadonlyArray<Check> = [
  boundNumber,
  mainlandWithoutPrefix,
  separators,
  doubleZeroPrefix,
  otherNumber,
  matchedType,
  hongKong,
  macau,
  ...invalidNumbers,
  ...ambiguousNumbers,
  refusalHidesNumber,
  notCached
]

function refused(cases: ReadonlyArray<readonly [what: string, number: string]>): ReadonlyArray<Check> {
  return cases.map(([what, number]) =>
    required("4.4", `${what} is 400 invalid_request`, Api.expecting(verify(number), refusal(400, "invalid_request")), {
      decisions: [55, 56]
    })
  )
}

function readings(cases: ReadonlyArray<readonly [what: string, number: string]>): ReadonlyArray<Check> {
  return cases.map(([what, number]) =>
    decided(
      55,
      "4.4",
      `${what} is 400 invalid_request`,
      Api.expecting(verify(number), refusal(400, "invalid_request")),
      {
        decisions: [56]
      }
    )
  )
}

function needsPhone() {
  return { needs: ["phone"] } as const
}

function withPhone(use: (phone: string) => Run): Run {
  return Effect.flatMap(Api.setting("phone"), use)
}

/** The bound number without its country code; other countries' numbers cannot show a rule of the mainland. */
function withMainland(use: (digits: string) => Run): Run {
  return withPhone((phone) => {
    const digits = /^\+86(1\d{10})$/.exec(phone.replace(/[\s()-]/g, ""))?.[1]
    return digits === undefined ? Api.skip("needs a --phone of mainland China, like +8613812345678") : use(digits)
  })
}

/** A masked number shows its first and last digits around stars. */
function masked(phone: string) {
  return notInBody(`*${phone.slice(-4)}`, "the masked number")
}
