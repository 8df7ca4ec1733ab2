import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import type { Scope } from "../domain/Scope.ts"
import { AccessDenied, InsufficientScope, InvalidToken, RateLimited } from "../OpenApiError.ts"
import * as Schema from "effect/Schema"

/** The grant, application and user of a request, after its bearer token was checked. */
export class CurrentGrant extends Context.Tag("@heddle/core/api/CurrentGrant")<
  CurrentGrant,
  {
    readonly grantId: string
    readonly clientId: string
    readonly userId: string
    readonly scopes: ReadonlySet<Scope>
  }
>() {}

/** The scope an endpoint needs (contract 5.5), as an annotation of the endpoint. */
export class RequiredScope extends Context.Tag("@heddle/core/api/RequiredScope")<RequiredScope, Scope>() {}

/** Bearer authentication (5.1d); only the service implements it, so a client does not need it. */
export class Bearer extends HttpApiMiddleware.Tag<Bearer>()("@heddle/core/api/Bearer", {
  failure: Schema.Union(InvalidToken, InsufficientScope, AccessDenied, RateLimited),
  provides: CurrentGrant,
  security: {
    bearer: HttpApiSecurity.annotate(
      HttpApiSecurity.bearer,
      OpenApi.Description,
      "An access token that you already have."
    )
  }
}) {}
