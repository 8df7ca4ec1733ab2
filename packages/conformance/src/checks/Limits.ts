import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import type { Request } from "../HttpMessage.ts"
import { field, header, errorResponse, type Expectation } from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Matcher from "../Matcher.ts"

const limitResponse = [errorResponse(429, "rate_limited"), header("retry-after", /^[1-9]\d*$/)]

/** The limits on guessing. They run last, because the service then refuses such requests. */
export const checks: ReadonlyArray<Check> = [
  decided(
    "4.12",
    "too many wrong redemption codes are 429 rate_limited with Retry-After",
    { disposable: true, decisions: [95] },
    guessUntilLimited(12, wrongCode, ...limitResponse)
  ),
  required("7.1", "the 429 of a redemption has no result", { disposable: true, decisions: [17, 95] }, function* () {
    const response = yield* firstLimited(12, wrongCode)
    if (response === undefined)
      return yield* Api.skip("of 12 guesses none is answered by 429, whose threshold is not shown")
    return yield* Api.verify(
      response,
      field("credits", Matcher.optional(Matcher.is(0))),
      field("flow_no", Matcher.optional(Matcher.is("")))
    )
  }),
  decided(
    "4.4",
    "too many phone numbers are 429 rate_limited with Retry-After",
    { disposable: true, decisions: [57] },
    guessUntilLimited(30, wrongPhone, ...limitResponse)
  ),
  decided(
    "4.4",
    "phone numbers are counted per application and user",
    { disposable: true, needs: ["otherAccessToken"], decisions: [57] },
    function* () {
      yield* guessUntilLimited(30, wrongPhone)
      const response = yield* (yield* CheckContext).sendOnce({ ...wrongPhone(1), token: "otherAccessToken" })
      yield* Api.assert(
        response.status === 200,
        `another user's number is still verified; the response is ${response.status}`
      )
    }
  )
]

/** Guesses until one is answered by 429, and checks that response. */
function guessUntilLimited(
  maxGuesses: number,
  request: (guess: number) => Request,
  ...expectations: ReadonlyArray<Expectation>
) {
  return Effect.flatMap(firstLimited(maxGuesses, request), (response) =>
    response === undefined
      ? Api.assert(false, `of ${maxGuesses} guesses one is answered by 429`)
      : Api.verify(response, ...expectations)
  )
}

/** The first response of 429 to at most so many guesses. */
function firstLimited(maxGuesses: number, request: (guess: number) => Request) {
  return Effect.gen(function* () {
    const context = yield* CheckContext
    for (let guess = 0; guess < maxGuesses; guess++) {
      const response = yield* context.sendOnce(request(guess))
      if (response.status === 429) return response
    }
    return undefined
  })
}

function wrongCode(guess: number): Request {
  return Api.post("/redemptions", { code: `NO-SUCH-GUESS-${guess}`, request_id: freshId() })
}

function wrongPhone(guess: number): Request {
  return Api.post("/user/phoneverification", { phone_number: `+86139000000${String(guess).padStart(2, "0")}` })
}
