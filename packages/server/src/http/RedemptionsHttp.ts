import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { CurrentGrant } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ApiError from "../internal/ApiError.ts"
import { Redemptions } from "../redemptions/Redemptions.ts"

/** Redemption (contract 4.12). */
export const layer = HttpApiBuilder.group(OpenApi, "redemptions", (handlers) =>
  Effect.gen(function* () {
    const redemptions = yield* Redemptions
    // Raw, because a repeated request gets the same bytes as the first response.
    return handlers.handleRaw("redeem", ({ request }) =>
      Effect.gen(function* () {
        const owner = yield* CurrentGrant
        const response = yield* redemptions.redeem(owner, yield* readRequest(request))
        return HttpServerResponse.text(response, {
          contentType: "application/json",
          headers: { "cache-control": "private, no-store" }
        })
      })
    )
  })
)

const readRequest = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    // The platform would accept a form, too.
    if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "application/json")) {
      return yield* ApiError.unexpectedStatus(415, "The body must be application/json.")
    }
    // The response middleware turns an unreadable, too large or invalid body into its error.
    return yield* request.json.pipe(
      Effect.flatMap(Schema.decodeUnknown(RedemptionRequest, { errors: "all" })),
      Effect.catchTag("ParseError", HttpApiError.HttpApiDecodeError.refailParseError),
      Effect.orDie
    )
  })
