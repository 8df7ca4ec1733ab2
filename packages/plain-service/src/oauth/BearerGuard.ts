import type { ApiRequest } from "../http/ApiRequest.ts"
import { Refusal } from "../http/Refusal.ts"
import type { Unauthorized } from "../http/Unauthorized.ts"
import type { Person } from "../person/Person.ts"
import type { Readings } from "../Readings.ts"
import type { Grants } from "./Grants.ts"
import type { Scope } from "./Scope.ts"

/** Finds the person of a request, whose access token must have the scope (5). */
export type BearerGuard = (request: ApiRequest, scope: Scope) => Person

/** Makes the guard of all operations with a bearer token (5, 7.1). */
export const bearerGuard =
  (grants: Grants, unauthorized: Unauthorized, readings: () => Readings): BearerGuard =>
  (request, scope) => {
    const grant = grants.authenticate(request.bearer ?? "")
    if (grant === undefined) throw unauthorized.refusal()
    if (!readings().applicationActive) throw Refusal.api(403, "access_denied", "the application is not active")
    if (!grant.scopes.includes(scope))
      throw Refusal.api(403, "insufficient_scope", `the token lacks ${scope}`, {
        "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"`
      })
    return grant.person
  }
