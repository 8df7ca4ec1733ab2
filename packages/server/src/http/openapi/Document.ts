import * as PlatformOpenApi from "@effect/platform/OpenApi"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { knownScopes } from "@heddle/core/domain/Scope"
import { deviceGrantType } from "@heddle/core/domain/Token"
import { AuthorizationPending, ExpiredToken, SlowDown } from "@heddle/core/OpenApiError"
import { english } from "../pages/English.ts"
import * as ScopeText from "../pages/ScopeText.ts"
import type { Settings } from "../../config/ServerConfig.ts"
import { authorize } from "./Authorize.ts"
import { components, type Component } from "./Components.ts"
import * as Errors from "./Errors.ts"
import * as Operation from "./Operation.ts"
import { child, isObject, modelPrefix, strictSchema, type Json } from "./StrictSchema.ts"

/**
 * The OpenAPI 3.1 document of this service. The contract that serves the requests holds its texts, as annotations. The
 * service adds what depends on its settings, what it always sends, and what no annotation can express.
 */
export const make = (settings: Pick<Settings, "contract" | "limits" | "publicUrl">): Json => {
  const derived: Json = { ...PlatformOpenApi.fromApi(OpenApi) }
  const definitions = child(child(derived, "components"), "schemas")
  const additions = components(settings)
  const schemas = new Map<string, Json>()

  /** Fills `schemas` with the model, and with those that it refers to. */
  const refer = (model: string): Json => {
    if (!schemas.has(model)) {
      // A placeholder, so that the conversion of a recursive model ends.
      schemas.set(model, {})
      schemas.set(model, withAdditions(convert(definitions[`${modelPrefix}${model}`]), additions[model]))
    }
    return { $ref: `#/components/schemas/${model}` }
  }
  const { deviceFlow, introspection, revocation } = settings.contract
  const isOffered = (variant: Json) => deviceFlow || !isDeviceGrant(variant)
  const convert = (schema: unknown): Json => strictSchema(schema, definitions, { isOffered, refer })
  const neverSent = deviceFlow ? [] : [AuthorizationPending.ast, SlowDown.ast, ExpiredToken.ast]

  const switchedOff = new Set([
    ...(deviceFlow ? [] : ["/openapi/v2/device_authorization"]),
    ...(revocation ? [] : ["/openapi/v2/revoke"]),
    ...(introspection ? [] : ["/openapi/v2/introspect"])
  ])
  // This also fills `schemas` with the models that the paths refer to, so it comes before they are read.
  const paths = Object.entries(child(derived, "paths"))
    .filter(([path]) => !switchedOff.has(path))
    .map(([path, methods]) => [path, mapValues(methods, (operation) => Operation.make(operation, convert, neverSent))])

  return {
    openapi: "3.1.0",
    info: {
      ...child(derived, "info"),
      description:
        "Every answer carries `x-request-id`, and `Accept-Idempotency-Key: true` because idempotency keys are kept. Unknown fields and query parameters are ignored; fields and words may be added. A slash at the end of a path changes nothing. `HEAD` is answered like `GET`, `OPTIONS` with `Allow`, and an unsupported method with 405."
    },
    servers: [{ url: settings.publicUrl }],
    tags: derived["tags"],
    paths: { "/openapi/v2/authorize": authorize, ...Object.fromEntries(paths) },
    components: {
      schemas: { ...Object.fromEntries(schemas), ...Errors.schemas(settings.contract) },
      headers: Errors.headers,
      securitySchemes: {
        oauth2: authorizationCode(settings.publicUrl),
        ...child(child(derived, "components"), "securitySchemes")
      }
    }
  }
}

/** The authorization code flow, which the platform's annotations cannot describe. */
const authorizationCode = (publicUrl: string): Json => ({
  type: "oauth2",
  description: "The authorization code flow, with optional PKCE.",
  flows: {
    authorizationCode: {
      authorizationUrl: `${publicUrl}/openapi/v2/authorize`,
      tokenUrl: `${publicUrl}/openapi/v2/token`,
      refreshUrl: `${publicUrl}/openapi/v2/token`,
      scopes: Object.fromEntries(knownScopes.map((scope) => [scope, ScopeText.of(scope, english)]))
    }
  }
})

/** Tells whether a form is that of a device that polls for its tokens. */
const isDeviceGrant = (form: Json): boolean => {
  const types = child(child(form, "properties"), "grant_type")["enum"]
  return Array.isArray(types) && types.includes(deviceGrantType)
}

/** The schema with the additions of this service: which properties are required, and more keywords of each property. */
const withAdditions = (schema: Json, { fields = {}, required }: Component = {}): Json => ({
  ...schema,
  ...(required === undefined ? {} : { required }),
  properties: Object.fromEntries(
    Object.entries(child(schema, "properties")).map(([name, property]) => [
      name,
      { ...(isObject(property) ? property : {}), ...fields[name] }
    ])
  )
})

const mapValues = (record: unknown, f: (value: Json) => Json): Json =>
  Object.fromEntries(
    Object.entries(isObject(record) ? record : {}).map(([key, value]) => [key, f(isObject(value) ? value : {})])
  )
