import * as HttpApi from "@effect/platform/HttpApi"
import { RequiredScope } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"
import * as Errors from "./Errors.ts"
import { child, isObject, type Json } from "./StrictSchema.ts"

/**
 * An operation of the document, from the platform's for the same endpoint. `convert` makes its schemas strict;
 * `neverSent` are errors of the contract that this service does not answer with.
 */
export const make = (derived: Json, convert: (schema: unknown) => Json, neverSent: ReadonlyArray<AST.AST>): Json => {
  const id = String(derived["operationId"])
  const endpoint = endpoints.get(id)
  if (endpoint === undefined) throw new Error(`the contract has no endpoint ${id}`)
  const { description, requestBody, summary, tags } = derived
  return {
    tags,
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    // Any of the two proves the same: a token that carries the scope.
    security: Option.match(endpoint.scope, {
      onNone: () => [],
      onSome: (scope) => [{ oauth2: [scope] }, { bearer: [scope] }]
    }),
    parameters: list(derived["parameters"]).map((parameter) => parameterOf(parameter, convert)),
    ...(isObject(requestBody) ? { requestBody: { required: true, content: contentOf(requestBody, convert) } } : {}),
    responses: responsesOf(child(derived, "responses"), { errors: endpoint.errors, neverSent }, convert)
  }
}

/** The annotations of the contract that the platform leaves out, by operation. */
const endpoints = ((): ReadonlyMap<string, { readonly scope: Option.Option<string>; readonly errors: AST.AST }> => {
  const found = new Map<string, { readonly scope: Option.Option<string>; readonly errors: AST.AST }>()
  HttpApi.reflect(OpenApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group }) => {
      found.set(`${group.identifier}.${endpoint.name}`, {
        scope: Context.getOption(endpoint.annotations, RequiredScope),
        errors: AST.Union.make([...errors.values()].flatMap(({ ast }) => Option.toArray(ast)))
      })
    }
  })
  return found
})()

const parameterOf = (parameter: Json, convert: (schema: unknown) => Json): Json => {
  const { description, ...schema } = convert(parameter["schema"])
  const name = String(parameter["name"])
  return {
    // The platform reads headers by their names in lower case.
    name: parameter["in"] === "header" ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
    in: parameter["in"],
    required: parameter["required"] === true,
    ...(description === undefined ? {} : { description }),
    schema
  }
}

const contentOf = (body: Json, convert: (schema: unknown) => Json): Json =>
  Object.fromEntries(
    Object.entries(child(body, "content")).map(([type, content]) => [
      type,
      { schema: convert(isObject(content) ? content["schema"] : {}) }
    ])
  )

const responsesOf = (
  responses: Json,
  { errors, neverSent }: { readonly errors: AST.AST; readonly neverSent: ReadonlyArray<AST.AST> },
  convert: (schema: unknown) => Json
): Json => {
  const [status = "200"] = Object.keys(responses).filter((status) => status.startsWith("2"))
  const content = contentOf(child(responses, status), convert)
  const enveloped = "data" in child(child(child(content, "application/json"), "schema"), "properties")
  return {
    [status]: {
      description: "Success.",
      headers: {
        "x-request-id": Errors.header("RequestId"),
        "cache-control": Errors.header("CacheControl"),
        ...(status === "201" ? { location: Errors.header("Location") } : {})
      },
      content
    },
    ...Errors.responses(errors, { enveloped, neverSent })
  }
}

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])
