import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import type { BearerGuard } from "../oauth/BearerGuard.ts"
import type { Readings } from "../Readings.ts"
import { phoneNumber } from "./PhoneNumber.ts"

/** Profile, phone verification and credit (4.3 to 4.5). */
export const personEndpoints = (guard: BearerGuard, readings: () => Readings): ReadonlyArray<Route> => [
  {
    method: "GET",
    path: /^\/openapi\/v2\/user\/profile$/,
    handle: (request) => {
      const { name } = guard(request, "user.profile.readable")
      const headers = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "private, no-store" }
      return Reply.json(200, { nickname: name, avatar: readings().avatar }, headers)
    }
  },
  {
    method: "POST",
    path: /^\/openapi\/v2\/user\/phoneverification$/,
    handle: (request) => {
      guard(request, "user.contact.readable")
      const written = request.fields["phone_number"]
      const number = typeof written === "string" ? phoneNumber(written) : undefined
      if (number === undefined) throw Refusal.invalid("phone_number is missing or has no accepted format")
      return Reply.json(200, { matched: number === readings().phoneNumber })
    }
  },
  {
    method: "GET",
    path: /^\/openapi\/v2\/credit$/,
    handle: (request) => {
      const { redeemedCredits } = guard(request, "user.credit.readable")
      const { creditCapacity, creditUsed } = readings()
      return Reply.json(200, { total_capacity_size: creditCapacity + redeemedCredits, total_capacity_used: creditUsed })
    }
  }
]
