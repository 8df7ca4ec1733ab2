import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, needing, type Check } from "../Check.ts"
import { notStored, notInBody, errorResponse, status, field, type Expectation } from "../Expectation.ts"
import * as Matcher from "../Matcher.ts"

const path = "/user/phoneverification"
const isMatched = (matcher: Matcher.Matcher) => [status(200), field("matched", matcher)]

const boundNumber = needing(
  ["phone"],
  [
    required("4.4", "the bound number matches", function* () {
      yield* verify(yield* Api.setting("phone"), ...isMatched(Matcher.is(true)))
    }),
    required("4.4", "a mainland number is accepted without +86", function* () {
      yield* verify(yield* mainlandDigits, ...isMatched(Matcher.is(true)))
    }),
    required("4.4", "spaces, hyphens and parentheses are accepted", function* () {
      const digits = yield* mainlandDigits
      const separated = `+86 (${digits.slice(0, 3)}) ${digits.slice(3, 7)}-${digits.slice(7)}`
      yield* verify(separated, ...isMatched(Matcher.is(true)))
    }),
    decided("4.4", "0086 is read as +86", { decisions: [55] }, function* () {
      yield* verify(`0086${yield* mainlandDigits}`, ...isMatched(Matcher.is(true)))
    }),
    required("2.3", "another number is 200 with matched false, and does not reveal the real number", function* () {
      const phone = yield* Api.setting("phone")
      const other = phone.slice(0, -2) + (phone.endsWith("11") ? "22" : "11")
      yield* verify(
        other,
        ...isMatched(Matcher.is(false)),
        notInBody(phone.slice(-8), "the real number"),
        // A masked number shows its first and last digits around stars.
        notInBody(`*${phone.slice(-4)}`, "the masked number")
      )
    })
  ]
)

const accepted: ReadonlyArray<Check> = [
  required("2.3", "matched is a boolean", verify("+86 13900000000", ...isMatched(Matcher.boolean))),
  required("4.4", "a Hong Kong number with +852 is accepted", verify("+852 9123 4567", ...isMatched(Matcher.boolean))),
  required("4.4", "a Macau number with +853 is accepted", verify("+853 6612 3456", ...isMatched(Matcher.boolean)))
]

const invalidNumbers = [
  ["a bare number of 8 digits", "62345678"],
  ["a Hong Kong number without +852", "91234567"],
  ["a Hong Kong number with 852 but no plus", "85291234567"],
  ["an empty number", ""],
  ["a string that is not a number", "not a number"],
  ["a mainland number that is one digit too short", "1381234567"],
  ["a mainland number that is one digit too long", "138123456789"]
] as const

const ambiguousNumbers = [
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
] as const

/** A check of this level for each number. */
const refusals = (level: typeof decided, numbers: ReadonlyArray<readonly [what: string, number: string]>) =>
  numbers.map(([what, number]) =>
    level(
      "4.4",
      `${what} is 400 invalid_request`,
      { decisions: [55, 56] },
      verify(number, errorResponse(400, "invalid_request"))
    )
  )

const refused: ReadonlyArray<Check> = [
  ...refusals(required, invalidNumbers),
  ...refusals(decided, ambiguousNumbers),
  decided(
    "4.4",
    "a refusal does not repeat the number",
    { decisions: [56] },
    verify("138.9876.5432", status(400), notInBody("9876", "the number"))
  ),
  decided(
    "4.4",
    "the response to POST /user/phoneverification is not cached",
    { decisions: [46] },
    verify("62345678", notStored)
  )
]

/** Phone verification (contract 2.3, 4.4). Few of these reach a comparison: services count those. */
export const checks = [...boundNumber, ...accepted, ...refused]

function verify(phone_number: string, ...expectations: ReadonlyArray<Expectation>) {
  return Api.send(Api.post(path, { phone_number }), ...expectations)
}

/** The bound number without its country code; skips the check for numbers of other countries. */
const mainlandDigits = Effect.flatMap(Api.setting("phone"), (phone) => {
  const digits = /^\+86(1\d{10})$/.exec(phone.replace(/[\s()-]/g, ""))?.[1]
  return digits === undefined
    ? Api.skip("needs a --phone of mainland China, like +8613812345678")
    : Effect.succeed(digits)
})
