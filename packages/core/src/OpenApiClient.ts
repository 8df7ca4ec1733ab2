import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import { AccessToken } from "./AccessToken.ts"
import { OpenApi } from "./api/OpenApi.ts"
import * as BaseUrl from "./BaseUrl.ts"
import type { OpenApiError } from "./OpenApiError.ts"
import type { Operation } from "./Operation.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Transport from "./Transport.ts"

/** Where the service is, and who calls it. */
export interface Options {
  readonly baseUrl: string
  /** Allows `http` beyond this machine. */
  readonly allowInsecure?: boolean
  readonly userAgent?: string
}

/** The contract's derived client, one method per endpoint. */
export type Api = Effect.Effect.Success<ReturnType<typeof derive>>

/** The contract as a client, speaking for the user whose {@link AccessToken} it was built with. */
export class OpenApiClient extends Context.Tag("@heddle/core/OpenApiClient")<
  OpenApiClient,
  {
    /**
     * Sends one operation: bearer token in, renewal and waits by {@link RetryPolicy}, typed error out.
     * `repeat` overrides how the operation may be repeated, for a write that has no idempotency key.
     */
    readonly call: <A>(
      operation: Operation,
      send: (api: Api) => Effect.Effect<A, OpenApiError | Transport.DerivedError>,
      options?: { readonly repeat?: Operation["repeat"] }
    ) => Effect.Effect<A, OpenApiError>
  }
>() {}

/** The client of the service at `baseUrl`, on whatever HTTP client the platform gives. */
export const layer = (
  options: Options
): Layer.Layer<OpenApiClient, BaseUrl.InvalidBaseUrl, HttpClient.HttpClient | AccessToken> =>
  Layer.effect(OpenApiClient, make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const httpClient = yield* HttpClient.HttpClient
  const accessToken = yield* AccessToken
  const baseUrl = yield* BaseUrl.make(options.baseUrl, options)
  const transport = Transport.make({ httpClient, baseUrl, userAgent: options.userAgent })
  const api = yield* derive(transport)

  return OpenApiClient.of({
    call: (operation, send, overrides) =>
      Effect.gen(function* () {
        const repeat = overrides?.repeat ?? operation.repeat
        const last = yield* Ref.make<{ readonly token: Redacted.Redacted; readonly refused: boolean } | undefined>(
          undefined
        )
        const attempt = Effect.gen(function* () {
          const before = yield* Ref.get(last)
          const token = yield* before?.refused === true ? accessToken.renew(before.token) : accessToken.current
          yield* Ref.set(last, { token, refused: false })
          return yield* Transport.run({ ...operation, repeat }, send(api)).pipe(
            Effect.tapErrorTag("InvalidToken", () => Ref.set(last, { token, refused: true })),
            Effect.provideService(Transport.BearerToken, Option.some(token))
          )
        })
        return yield* RetryPolicy.apply(repeat)(attempt)
      })
  })
})

const derive = (httpClient: Transport.Transport) => HttpApiClient.makeWith(OpenApi, { httpClient })
