import type { ApiRequest } from "../http/ApiRequest.ts"
import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import type { Readings } from "../Readings.ts"
import type { Application } from "./Application.ts"
import type { Grants } from "./Grants.ts"

/** Exchanges a code or a refresh token for tokens (4.2). */
export const tokenEndpoint = (application: Application, grants: Grants, readings: () => Readings): Route => ({
  method: "POST",
  path: /^\/openapi\/v2\/token$/,
  handle: (request) => {
    const field = fieldsOf(request)
    const grantType = field("grant_type")
    if (grantType !== "authorization_code" && grantType !== "refresh_token")
      throw Refusal.api(400, "unsupported_grant_type", `grant_type ${grantType} is not supported`)
    const [clientId, clientSecret] = [field("client_id"), field("client_secret")]
    if (clientId !== application.clientId || clientSecret !== application.clientSecret)
      throw Refusal.api(401, "invalid_client", "client_id or client_secret is wrong")
    if (!readings().applicationActive) throw Refusal.api(401, "invalid_client", "the application is not active")
    const response =
      grantType === "authorization_code"
        ? grants.exchange(field("code"), field("redirect_uri"))
        : grants.refresh(field("refresh_token"))
    return Reply.json(200, response)
  }
})

const fieldsOf = (request: ApiRequest): ((name: string) => string) => {
  if (request.mediaType !== "application/x-www-form-urlencoded")
    throw Refusal.invalid("Content-Type must be application/x-www-form-urlencoded")
  const fields = new URLSearchParams(request.body)
  return (name) => {
    const [value, ...more] = fields.getAll(name)
    if (value === undefined || value === "" || more.length > 0) throw Refusal.invalid(`${name} is required once`)
    return value
  }
}
