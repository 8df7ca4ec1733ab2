import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { InvalidRequest } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ApiError from "../../internal/ApiError.ts"
import * as Parameters from "../../internal/Parameters.ts"
import * as SmallBody from "./SmallBody.ts"

/** Reads a form-encoded body and nothing else (contract decision 45). Repeated fields are refused. */
export const read = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Parameters.Parameters, InvalidRequest> =>
  requireForm(request).pipe(
    // The response middleware turns an unreadable or too large body into its error.
    Effect.zipRight(Effect.orDie(request.text)),
    Effect.flatMap((text) => Parameters.parse(new URLSearchParams(text)))
  )

/** Reads a form, or a JSON object of strings (`tokenJsonBody`). */
export const readFormOrJson = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Parameters.Parameters, InvalidRequest> =>
  /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")
    ? SmallBody.withLimit(Effect.orDie(request.json)).pipe(
        Effect.flatMap(decodeFields),
        Effect.mapError(() => ApiError.invalidRequest("The body must be a JSON object whose values are texts.")),
        Effect.flatMap((fields) => Parameters.parse(new URLSearchParams(Object.entries(fields))))
      )
    : read(request)

const decodeFields = Schema.decodeUnknown(Schema.Record({ key: Schema.String, value: Schema.String }))

/** Fails for a body whose Content-Type is not a form. */
export const requireForm = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, InvalidRequest> =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers["content-type"] ?? "")
    ? Effect.void
    : Effect.fail(ApiError.invalidRequest("The body must be application/x-www-form-urlencoded."))
