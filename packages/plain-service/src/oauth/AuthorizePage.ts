import type { ApiRequest } from "../http/ApiRequest.ts"
import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import type { People } from "../person/People.ts"
import type { Readings } from "../Readings.ts"
import type { Application } from "./Application.ts"
import type { Grants } from "./Grants.ts"
import type { Scope } from "./Scope.ts"

const path = /^\/openapi\/v2\/authorize$/

/** The page on which a person authorizes the application (4.1). */
export const authorizePage = (
  application: Application,
  grants: Grants,
  people: People,
  readings: () => Readings
): ReadonlyArray<Route> => {
  const consent = (asked: Asked): Reply => {
    const { person, withheldScopes } = readings()
    const scopes = asked.scopes.filter((scope) => !withheldScopes.includes(scope))
    const code = grants.issueCode({ person: people.named(person), scopes }, asked.redirectUri)
    return redirect(asked, { code })
  }
  const deny = (asked: Asked): Reply => redirect(asked, { error: "access_denied" })
  return [
    {
      method: "GET",
      path,
      handle: ({ query }) => {
        const asked = validated(query, application, readings())
        switch (readings().consent) {
          case "auto":
            return consent(asked)
          case "deny":
            return deny(asked)
          case "form":
            return Reply.text(200, form, "text/html")
        }
      }
    },
    {
      method: "POST",
      path,
      handle: (request: ApiRequest) => {
        const asked = validated(request.query, application, readings())
        return new URLSearchParams(request.body).get("decision") === "allow" ? consent(asked) : deny(asked)
      }
    }
  ]
}

interface Asked {
  readonly redirectUri: string
  readonly scopes: ReadonlyArray<Scope>
  readonly state: string | null
}

const form = `<!doctype html>
<title>Authorize</title>
<form method="post">
  <button name="decision" value="allow">Allow</button>
  <button name="decision" value="deny">Deny</button>
</form>
`

/** Nothing goes to a redirect_uri before all parameters are known to be right. */
const validated = (query: URLSearchParams, application: Application, readings: Readings): Asked => {
  for (const name of ["response_type", "client_id", "redirect_uri", "scope", "state"])
    if (query.getAll(name).length > 1) throw Refusal.invalid(`${name} is repeated`)
  const responseType = query.get("response_type")
  const clientId = query.get("client_id")
  const redirectUri = query.get("redirect_uri")
  if (!responseType || !clientId || !redirectUri)
    throw Refusal.invalid("response_type, client_id and redirect_uri are required")
  if (clientId !== application.clientId) throw Refusal.api(401, "invalid_client", "client_id is unknown")
  if (!readings.applicationActive) throw Refusal.api(401, "invalid_client", "the application is not active")
  if (!application.redirectUris.includes(redirectUri)) throw Refusal.invalid("redirect_uri is not configured")
  if (responseType !== "code") throw Refusal.api(400, "unsupported_response_type", "response_type must be code")
  return { redirectUri, scopes: scopesOf(query.get("scope"), readings), state: query.get("state") }
}

const scopesOf = (requested: string | null, { applicationScopes }: Readings): ReadonlyArray<Scope> => {
  const names = requested?.split(" ").filter((name) => name !== "") ?? []
  const unbound = names.find((name) => !applicationScopes.some((scope) => scope === name))
  if (unbound !== undefined || applicationScopes.length === 0)
    throw Refusal.api(400, "invalid_scope", "the application may not request this scope")
  return names.length === 0 ? applicationScopes : applicationScopes.filter((scope) => names.includes(scope))
}

const redirect = ({ redirectUri, state }: Asked, result: Readonly<Record<string, string>>): Reply => {
  const parameters = new URLSearchParams({ ...result, ...(state === null ? {} : { state }) })
  return Reply.empty(302, { Location: `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}` })
}
