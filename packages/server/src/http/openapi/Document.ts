import * as HttpApi from "@effect/platform/HttpApi"
import * as PlatformOpenApi from "@effect/platform/OpenApi"
import { RequiredScope } from "@heddle/core/api/Bearer"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { known } from "@heddle/core/domain/Scope"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { english } from "../pages/English.ts"
import * as ScopeText from "../pages/ScopeText.ts"
import type { Settings } from "../../config/ServerConfig.ts"
import { authorize } from "./Authorize.ts"
import { components, type Component } from "./Components.ts"
import * as Errors from "./Errors.ts"
import { groups, operations, type Operation } from "./Operations.ts"
import { isObject, truthful, type Json } from "./StrictSchema.ts"

/**
 * The OpenAPI 3.1 document of this service: the paths, parameters and fields are those of the contract that serves the
 * requests; errors, bounds and what is always sent are said as this service keeps them.
 */
export const make = (settings: Pick<Settings, "contract" | "limits" | "publicUrl">): Json => {
  const derived: Json = { ...PlatformOpenApi.fromApi(OpenApi) }
  const definitions = child(child(derived, "components"), "schemas")
  const described = components(settings)
  const schemas = new Map<string, Json>()

  const component = (name: string, schema: unknown): Json => {
    if (!schemas.has(name)) schemas.set(name, complete(truthful(schema, definitions), described[name]))
    return { $ref: `#/components/schemas/${name}` }
  }

  const operation = (derived: Json): Json => {
    const id = String(derived["operationId"])
    const said = operations[id]
    if (said === undefined) throw new Error(`the operation ${id} is not described`)
    const scope = scopes.get(id)
    return {
      tags: derived["tags"],
      operationId: id,
      summary: said.summary,
      ...(said.description === undefined ? {} : { description: said.description }),
      // Any of the two proves the same: a token that carries the scope.
      security: scope === undefined ? [] : [{ oauth2: [scope] }, { bearer: [scope] }],
      parameters: list(derived["parameters"]).map((parameter) => parameterOf(parameter, said)),
      ...(isObject(derived["requestBody"]) ? { requestBody: bodyOf(derived["requestBody"], said) } : {}),
      responses: responsesOf(child(derived, "responses"), said, scope !== undefined)
    }
  }

  const bodyOf = (body: Json, { takes }: Operation): Json => ({
    required: true,
    content: Object.fromEntries(
      Object.entries(child(body, "content")).map(([type, content]) => {
        const schema = isObject(content) ? content["schema"] : {}
        return [type, { schema: takes === undefined ? truthful(schema, definitions) : component(takes, schema) }]
      })
    )
  })

  const responsesOf = (responses: Json, said: Operation, authenticated: boolean): Json => {
    const [status = "200"] = Object.keys(responses).filter((status) => status.startsWith("2"))
    const schema = child(child(child(child(responses, status), "content"), "application/json"), "schema")
    const common = authenticated ? [401, 403, 429, 500, 503] : [429, 500, 503]
    const errors = [...new Set([...said.errors, ...common])].sort((a, b) => a - b)
    return {
      [status]: {
        description: "Success.",
        headers: {
          "x-request-id": Errors.header("RequestId"),
          "cache-control": Errors.header("CacheControl"),
          ...Object.fromEntries((said.headers ?? []).map((name) => [name.toLowerCase(), Errors.header(name)]))
        },
        content: {
          "application/json": {
            schema:
              said.enveloped === true
                ? enveloped(component(said.gives, child(child(truthful(schema, definitions), "properties"), "data")))
                : component(said.gives, schema)
          }
        }
      },
      ...Object.fromEntries(errors.map((status) => [status, Errors.response(status, said.enveloped === true)]))
    }
  }

  const { deviceFlow, introspection, revocation } = settings.contract
  const switchedOff = new Set([
    ...(deviceFlow ? [] : ["/openapi/v2/device_authorization"]),
    ...(revocation ? [] : ["/openapi/v2/revoke"]),
    ...(introspection ? [] : ["/openapi/v2/introspect"])
  ])

  const paths = Object.fromEntries(
    Object.entries(child(derived, "paths")).flatMap(([path, methods]) =>
      switchedOff.has(path)
        ? []
        : [
            [
              path,
              Object.fromEntries(
                Object.entries(isObject(methods) ? methods : {}).map(([method, it]) => [
                  method,
                  operation(isObject(it) ? it : {})
                ])
              )
            ]
          ]
    )
  )
  return {
    openapi: "3.1.0",
    info: {
      title: "Open API",
      version: "2",
      summary: "Authorization, profile, credits, local assistant and cloud tasks",
      description:
        "Every answer carries `x-request-id`. Unknown fields and query parameters are ignored; fields and words may be added. `HEAD` is answered like `GET`, `OPTIONS` with `Allow`, and a method that an address does not know with 405."
    },
    servers: [{ url: settings.publicUrl }],
    tags: Object.entries(groups).map(([name, description]) => ({ name, description })),
    paths: { "/openapi/v2/authorize": authorize, ...paths },
    components: {
      schemas: { ...Object.fromEntries(schemas), ...Errors.schemas(settings.contract) },
      headers: Errors.headers,
      securitySchemes: securitySchemes(settings.publicUrl)
    }
  }
}

/** The scope of each operation, by its id. */
const scopes = ((): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  HttpApi.reflect(OpenApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const scope = Context.getOption(endpoint.annotations, RequiredScope)
      if (Option.isSome(scope)) found.set(`${group.identifier}.${endpoint.name}`, scope.value)
    }
  })
  return found
})()

const securitySchemes = (publicUrl: string): Json => ({
  oauth2: {
    type: "oauth2",
    description: "The authorization code flow, with PKCE on wish.",
    flows: {
      authorizationCode: {
        authorizationUrl: `${publicUrl}/openapi/v2/authorize`,
        tokenUrl: `${publicUrl}/openapi/v2/token`,
        refreshUrl: `${publicUrl}/openapi/v2/token`,
        scopes: Object.fromEntries(known.map((scope) => [scope, ScopeText.of(scope, english)]))
      }
    }
  },
  bearer: { type: "http", scheme: "bearer", description: "An access token that you already have." }
})

const enveloped = (data: Json): Json => ({
  type: "object",
  required: ["code", "msg", "request_id", "data"],
  properties: {
    code: { const: 0 },
    msg: { const: "success" },
    request_id: { type: "string", description: "The trace id, also in `x-request-id`." },
    data
  }
})

const complete = (schema: Json, said: Component | undefined): Json => {
  if (said === undefined) return schema
  const properties = Object.entries(child(schema, "properties")).map(([name, property]) => {
    const merged = { ...(isObject(property) ? property : {}), ...said.fields[name] }
    // A type of the table's is the whole truth about how a number travels.
    return [name, "type" in merged && "anyOf" in merged ? { ...merged, anyOf: undefined } : merged]
  })
  return {
    ...schema,
    ...(said.always === undefined ? {} : { required: said.always }),
    properties: Object.fromEntries(properties),
    ...said.also
  }
}

const parameterOf = (parameter: Json, { parameters = {} }: Operation): Json => ({
  name: parameter["name"],
  in: parameter["in"],
  required: parameter["required"] === true,
  schema: parameter["schema"],
  ...parameters[String(parameter["name"])]
})

const child = (parent: Json, key: string): Json => {
  const value = parent[key]
  return isObject(value) ? value : {}
}

const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])
