import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { Operation } from "@heddle/core/Operation"
import * as Transport from "@heddle/core/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** Posts a form to an endpoint whose path is configuration, as the application, and reads its answer. */
export const make =
  (
    transport: Transport.Transport,
    application: { readonly clientId: string; readonly clientSecret: Redacted.Redacted }
  ) =>
  <A>(
    operation: Operation,
    path: string,
    form: Readonly<Record<string, string>>,
    read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, Transport.DerivedError>
  ): Effect.Effect<A, OpenApiError> =>
    Transport.run(
      operation,
      transport
        .execute(
          HttpClientRequest.post(path.startsWith("/") ? path : `/${path}`).pipe(
            HttpClientRequest.bodyUrlParams({
              ...form,
              client_id: application.clientId,
              client_secret: Redacted.value(application.clientSecret)
            })
          )
        )
        .pipe(Effect.flatMap(read))
    ).pipe(
      // The caller's context may hold a bearer token; the credentials of the application are in the form.
      Effect.provideService(Transport.BearerToken, Option.none())
    )
