import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { InvalidRequest } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Refuse from "../../internal/ApiError.ts"
import * as SmallBody from "./SmallBody.ts"

/** The fields of a form, each present at most once; an empty field counts as absent (RFC 6749 3.2). */
export interface Form {
  readonly optional: (name: string) => string | undefined
  readonly required: (name: string) => Effect.Effect<string, InvalidRequest>
}

/** Reads a form-encoded body and nothing else (decision 45). Repeated fields are refused. */
export const read = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Form, InvalidRequest> =>
  requireForm(request).pipe(
    // A body that cannot be read or is too large is told apart where all failures are answered.
    Effect.zipRight(Effect.orDie(request.text)),
    Effect.flatMap((text) => fromParameters(new URLSearchParams(text)))
  )

/** Reads a form, or a JSON object of texts where the service takes those too (`tokenJsonBody`). */
export const readWithJson = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Form, InvalidRequest> =>
  /^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")
    ? SmallBody.limited(Effect.orDie(request.json)).pipe(
        Effect.flatMap(decodeFields),
        Effect.mapError(() => Refuse.invalidRequest("The body must be a JSON object whose values are texts.")),
        Effect.flatMap((fields) => fromParameters(new URLSearchParams(Object.entries(fields))))
      )
    : read(request)

const decodeFields = Schema.decodeUnknown(Schema.Record({ key: Schema.String, value: Schema.String }))

/** Refuses a body that does not say it is a form. */
export const requireForm = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, InvalidRequest> =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers["content-type"] ?? "")
    ? Effect.void
    : Effect.fail(Refuse.invalidRequest("The body must be application/x-www-form-urlencoded."))

/** The same of parameters from anywhere. */
export const fromParameters = (parameters: URLSearchParams): Effect.Effect<Form, InvalidRequest> => {
  if (parameters.size > maxParameters) {
    return Effect.fail(Refuse.invalidRequest(`More than ${maxParameters} parameters are given.`))
  }
  const seen = new Set<string>()
  const repeated = [...parameters.keys()].find((name) => seen.size === seen.add(name).size)
  if (repeated !== undefined) {
    return Effect.fail(Refuse.invalidRequest(`A parameter is given more than once: ${repeated.slice(0, 50)}.`))
  }
  const optional = (name: string) => {
    const value = parameters.get(name)
    return value === null || value === "" ? undefined : value
  }
  return Effect.succeed({
    optional,
    required: (name) => {
      const value = optional(name)
      return value === undefined
        ? Effect.fail(Refuse.invalidRequest(`The parameter ${name} is missing.`))
        : Effect.succeed(value)
    }
  })
}

const maxParameters = 100
