import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Endpoints from "../api/Endpoints.ts"
import type { OpenApiError } from "../OpenApiError.ts"
import type { Attempt } from "./Attempt.ts"
import type { Exchange } from "./Exchange.ts"
import type { Request } from "./Request.ts"
import * as ResponseErrors from "./ResponseErrors.ts"

/** The endpoints for a user's token, one method each. */
export interface Api {
  readonly user: Methods<typeof Endpoints.user>
  readonly assistant: Methods<typeof Endpoints.assistant>
  readonly tasks: Methods<typeof Endpoints.tasks>
  readonly redemptions: Methods<typeof Endpoints.redemptions>
}

type Methods<Group> = { readonly [Name in keyof Group]: Method<Group[Name]> }

type Method<E> = E extends { readonly success: Schema.Schema.AnyNoContext }
  ? (
      ...args: {} extends Arguments<E> ? [request?: Arguments<E>] : [request: Arguments<E>]
    ) => Effect.Effect<Schema.Schema.Type<E["success"]>, OpenApiError>
  : never

type Arguments<E> = Argument<E, "params", "path"> &
  Argument<E, "urlParams", "urlParams"> &
  Argument<E, "headers", "headers"> &
  Argument<E, "payload", "payload">

type Argument<E, Field extends string, Name extends string> =
  E extends Readonly<Record<Field, infer S extends Schema.Schema.AnyNoContext>>
    ? { readonly [K in Name]: Schema.Schema.Type<S> }
    : {}

/** Makes the methods of an attempt. */
export type ApiOf = (attempt: Attempt, token: Redacted.Redacted) => Api

/**
 * Derives the methods from the contract's endpoints. Each has one encoder and one decoder, made once: through the
 * platform's derived client, a call costs twice as much.
 */
export const make = (exchange: Exchange): ApiOf => {
  const group = <Group extends Readonly<Record<string, Endpoints.Endpoint>>>(endpoints: Group) => {
    const calls = Object.entries(endpoints).map(([name, endpoint]) => [name, callOf(exchange, endpoint)] as const)
    return (attempt: Attempt, token: Redacted.Redacted) =>
      Object.fromEntries(
        calls.map(([name, call]) => [name, (values: Values = {}) => call(attempt, token, values)])
      ) as Methods<Group>
  }
  const [user, assistant, tasks, redemptions] = [
    group(Endpoints.user),
    group(Endpoints.assistant),
    group(Endpoints.tasks),
    group(Endpoints.redemptions)
  ]
  return (attempt, token) => ({
    get user() {
      return user(attempt, token)
    },
    get assistant() {
      return assistant(attempt, token)
    },
    get tasks() {
      return tasks(attempt, token)
    },
    get redemptions() {
      return redemptions(attempt, token)
    }
  })
}

interface Values {
  readonly path?: unknown
  readonly urlParams?: unknown
  readonly headers?: unknown
  readonly payload?: unknown
}

const callOf = (exchange: Exchange, endpoint: Endpoints.Endpoint) => {
  const encode = encoderOf(endpoint)
  const decode = ParseResult.decodeUnknownEither(endpoint.success)
  return (attempt: Attempt, token: Redacted.Redacted, values: Values): Effect.Effect<unknown, OpenApiError> =>
    Effect.suspend(() => {
      const { operation } = attempt
      const request = encode(values)
      if (Either.isLeft(request)) return ResponseErrors.undecoded(operation, request.left, undefined)
      return Effect.flatMap(exchange(attempt, token, request.right), (json) => {
        if (json === undefined) return ResponseErrors.contractViolation(operation, "body", attempt.info)
        return Either.mapLeft(decode(json), (issue) => ResponseErrors.undecoded(operation, issue, attempt.info))
      })
    })
}

/** Makes the encoder of an endpoint's requests. */
const encoderOf = (endpoint: Endpoints.Endpoint) => {
  const { method } = endpoint
  const path = Endpoints.prefix + endpoint.path
  const { headers: headerFields, params: pathFields, payload: body, urlParams } = endpoint
  if ([pathFields, urlParams, headerFields, body].every((schema) => schema === undefined)) {
    const request: Either.Either<Request, ParseResult.ParseIssue> = Either.right({ method, path, headers: {} })
    return () => request
  }
  const [params, query, headers, payload] = [
    encoder(pathFields),
    encoder(urlParams),
    encoder(headerFields),
    encoder(body)
  ]
  return (values: Values): Either.Either<Request, ParseResult.ParseIssue> =>
    Either.map(
      Either.all([params(values.path), query(values.urlParams), headers(values.headers), payload(values.payload)]),
      ([params, query, headers, payload]) => ({
        method,
        path: withParams(path, params) + queryOf(query),
        headers: textFields(headers),
        body: payload === undefined ? undefined : { text: JSON.stringify(payload), contentType: "application/json" }
      })
    )
}

const encoder = (schema: Schema.Schema.AnyNoContext | undefined) =>
  schema === undefined ? () => Either.void : ParseResult.encodeUnknownEither(schema)

const withParams = (path: string, params: unknown): string => {
  const texts = textFields(params)
  return path.replace(/:(\w+)/g, (_, name: string) => texts[name] ?? "")
}

const queryOf = (query: unknown): string => {
  const fields = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().flatMap((text) => (text === undefined ? [] : [[name, String(text)]]))
  )
  return fields.length === 0 ? "" : `?${new URLSearchParams(fields).toString()}`
}

const textFields = (fields: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  )
