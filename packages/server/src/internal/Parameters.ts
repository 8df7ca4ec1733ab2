import type { InvalidRequest } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as ApiError from "./ApiError.ts"

/** The parameters of a request, each present at most once; an empty one counts as absent (RFC 6749 3.2). */
export interface Parameters {
  readonly optional: (name: string) => string | undefined
  readonly required: (name: string) => Effect.Effect<string, InvalidRequest>
}

/** Refuses repeated parameters, and more than a hundred. */
export const parse = (parameters: URLSearchParams): Effect.Effect<Parameters, InvalidRequest> => {
  if (parameters.size > maxParameters) {
    return Effect.fail(ApiError.invalidRequest(`More than ${maxParameters} parameters are given.`))
  }
  const names = new Set<string>()
  const repeated = [...parameters.keys()].find((name) => names.size === names.add(name).size)
  if (repeated !== undefined) {
    return Effect.fail(ApiError.invalidRequest(`A parameter is given more than once: ${repeated.slice(0, 50)}.`))
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
        ? Effect.fail(ApiError.invalidRequest(`The parameter ${name} is missing.`))
        : Effect.succeed(value)
    }
  })
}

const maxParameters = 100
