import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, decided, type Check } from "../Check.ts"
import { CheckContext } from "../CheckContext.ts"
import type { Request } from "../HttpMessage.ts"
import { field, header, refusal, type Expectation } from "../Expectation.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Matcher from "../Matcher.ts"

const limited = [refusal(429, "rate_limited"), header("retry-after", /^[1-9]\d*$/)]

/** The limits on guessing. They run last, because the service refuses such requests afterwards. */
export const checks: ReadonlyArray<Check> = [
  decided(
    95,
    "4.12",
    "too many wrong redemption codes are 429 rate_limited with Retry-After",
    { disposable: true },
    guessing(12, wrongCode, ...limited)
  ),
  required(
    "7.1",
    "the 429 of a redemption has no result",
    { disposable: true, decisions: [17, 95] },
    guessing(
      12,
      wrongCode,
      field("credits", Matcher.optional(Matcher.is(0))),
      field("flow_no", Matcher.optional(Matcher.is("")))
    )
  ),
  decided(
    57,
    "4.4",
    "too many phone numbers are 429 rate_limited with Retry-After",
    { disposable: true },
    guessing(30, wrongPhone, ...limited)
  ),
  decided(
    57,
    "4.4",
    "phone numbers are counted per application and user",
    { disposable: true, needs: ["otherAccessToken"] },
    function* () {
      yield* guessing(30, wrongPhone)
      const response = yield* (yield* CheckContext).sendOnce({ ...wrongPhone(1), token: "otherAccessToken" })
      yield* Api.assert(
        response.status === 200,
        `another user's number is still verified; the response is ${response.status}`
      )
    }
  )
]

/** Repeats a request until the response is 429, at most `most` times, and checks that response. */
function guessing(most: number, request: (guess: number) => Request, ...wanted: ReadonlyArray<Expectation>) {
  return Effect.gen(function* () {
    const context = yield* CheckContext
    for (let guess = 0; guess < most; guess++) {
      const response = yield* context.sendOnce(request(guess))
      if (response.status === 429) return yield* Api.verify(response, ...wanted)
    }
    return yield* Api.assert(false, `of ${most} guesses one is answered by 429`)
  })
}

function wrongCode(guess: number): Request {
  return Api.post("/redemptions", { code: `NO-SUCH-GUESS-${guess}`, request_id: freshId() })
}

function wrongPhone(guess: number): Request {
  return Api.post("/user/phoneverification", { phone_number: `+86139000000${String(guess).padStart(2, "0")}` })
}
