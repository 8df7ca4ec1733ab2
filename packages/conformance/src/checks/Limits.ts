import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { required, ruling, type Check, type Run } from "../Check.ts"
import { field, header, refusal } from "../Expect.ts"
import { freshId } from "../internal/FreshId.ts"
import * as Shape from "../Shape.ts"
import { Wire, type Answer, type Request } from "../Wire.ts"

const redemptionGuesses = ruling(
  95,
  "4.12",
  "wrong redemption codes are counted: after some, 429 rate_limited with Retry-After",
  guessing(12, wrongCode, limited),
  {
    disposable: true
  }
)

const redemptionLimitBody = required(
  "7.1",
  "the 429 of redemption has no result in it",
  guessing(12, wrongCode, (answer) =>
    Api.verify(answer, field("credits", Shape.optional(Shape.is(0))), field("flow_no", Shape.optional(Shape.is(""))))
  ),
  { disposable: true, decisions: [17, 95] }
)

const phoneGuesses = ruling(
  57,
  "4.4",
  "phone numbers are counted: after some, 429 rate_limited with Retry-After",
  guessing(30, wrongPhone, limited),
  {
    disposable: true
  }
)

const phoneLimitPerUser = ruling(
  57,
  "4.4",
  "the count of phone numbers is of one application and user",
  Effect.gen(function* () {
    yield* guessing(30, wrongPhone, () => Effect.void)
    const answer = yield* (yield* Wire).sendOnce({ ...wrongPhone(1), token: "otherAccessToken" })
    yield* Api.claim(answer.status === 200, `another user's number is still verified; the answer is ${answer.status}`)
  }),
  { disposable: true, needs: ["otherAccessToken"] }
)

/** The limits on guessing. They come last, because nothing of their kind works afterwards for a while. */
export const checks: ReadonlyArray<Check> = [redemptionGuesses, redemptionLimitBody, phoneGuesses, phoneLimitPerUser]

function limited(answer: Answer) {
  return Api.verify(answer, refusal(429, "rate_limited"), header("retry-after", /^[1-9]\d*$/))
}

/** Asks until the service says 429, at most so often. */
function guessing(most: number, request: (guess: number) => Request, then: (answer: Answer) => Run): Run {
  return Effect.gen(function* () {
    const wire = yield* Wire
    for (let guess = 0; guess < most; guess++) {
      const answer = yield* wire.sendOnce(request(guess))
      if (answer.status === 429) return yield* then(answer)
    }
    return yield* Api.claim(false, `of ${most} guesses one is answered by 429`)
  })
}

function wrongCode(guess: number): Request {
  return Api.post("/redemptions", { code: `NO-SUCH-GUESS-${guess}`, request_id: freshId() })
}

function wrongPhone(guess: number): Request {
  return Api.post("/user/phoneverification", { phone_number: `+86139000000${String(guess).padStart(2, "0")}` })
}
