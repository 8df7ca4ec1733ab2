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
    // A body that cannot be read or is too large is told apart where all failures are answered.
    Effect.zipRight(Effect.orDie(request.text)),
    Effect.flatMap((text) => Parameters.parse(new URLSearchParams(text)))
  )

/** Reads a form, or a JSON object of texts where the service takes those too (`tokenJsonBody`). */
export const readWithJson = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Parameters.Parameters, InvalidRequest> =>
  /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")
    ? SmallBody.limited(Effect.orDie(request.json)).pipe(
        Effect.flatMap(decodeFields),
        Effect.mapError(() => ApiError.invalidRequest("The body must be a JSON object whose values are texts.")),
        Effect.flatMap((fields) => Parameters.parse(new URLSearchParams(Object.entries(fields))))
      )
    : read(request)

const decodeFields = Schema.decodeUnknown(Schema.Record({ key: Schema.String, value: Schema.String }))

/** Refuses a body that does not say it is a form. */
export const requireForm = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, InvalidRequest> =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers["content-type"] ?? "")
    ? Effect.void
    : Effect.fail(ApiError.invalidRequest("The body must be application/x-www-form-urlencoded."))
