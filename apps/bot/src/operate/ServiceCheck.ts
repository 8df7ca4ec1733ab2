import * as AuthorizationRequest from "@heddle/oauth/AuthorizationRequest"
import * as TokenEndpoint from "@heddle/oauth/TokenEndpoint"
import { TokenSet } from "@heddle/oauth/TokenSet"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { BotStartError } from "../model/BotStartError.ts"
import { scopes } from "../account/Connect.ts"
import { failed, type Finding, ok } from "./Finding.ts"

/** The bot as an OAuth application of the service. */
export interface Client {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** Fails when the service's address does not answer; any response passes. */
export const reachable = (baseUrl: string): Effect.Effect<void, BotStartError> =>
  Effect.tryPromise({
    try: (signal) => fetch(baseUrl, { method: "HEAD", redirect: "manual", signal }),
    catch: (cause) =>
      new BotStartError({
        setting: "HEDDLE_BASE_URL",
        problem: `the service at ${baseUrl} cannot be reached (${errorReason(cause)})`,
        fix: "Start the service, or correct the address."
      })
  }).pipe(
    Effect.timeoutFail({
      duration: "10 seconds",
      onTimeout: () =>
        new BotStartError({
          setting: "HEDDLE_BASE_URL",
          problem: `the service at ${baseUrl} does not answer`,
          fix: "Start the service, or correct the address."
        })
    }),
    Effect.asVoid
  )

/** Waits until the service's address answers, and logs why it does not: at the start, not at the first task. */
export const awaitReachable = (baseUrl: string): Effect.Effect<void> =>
  reachable(baseUrl).pipe(
    Effect.tapError(({ message }) => Effect.logWarning(`Waiting for the service: ${message}`)),
    Effect.retry(RetrySchedules.atStart),
    Effect.orDie
  )

/** Whether the service knows the application's id, secret and callback. Changes nothing there. */
export const check = Effect.fn("ServiceCheck.check")(function* (
  client: Client & { readonly callback: string | undefined }
): Effect.fn.Return<ReadonlyArray<Finding>, never, HttpClient.HttpClient> {
  const applicationFinding = yield* application(client)
  if (applicationFinding.status === "failed" || client.callback === undefined) return [applicationFinding]
  return [applicationFinding, yield* callback(client, client.callback)]
})

/** Whether the service knows the application's id and secret. */
export const application = ({
  baseUrl,
  clientId,
  clientSecret
}: Client): Effect.Effect<Finding, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const tokens = yield* TokenEndpoint.TokenEndpoint
    // No service issued this token: valid credentials get "invalid grant".
    const unknownTokens = new TokenSet({
      accessToken: Redacted.make("none"),
      refreshToken: Redacted.make("none"),
      obtainedAt: 0
    })
    yield* tokens.refresh(unknownTokens)
    return ok("Application", `the service knows ${clientId}`)
  }).pipe(
    Effect.provide(TokenEndpoint.layer({ baseUrl, clientId, clientSecret, userAgent: "heddle-bot" })),
    Effect.timeout("20 seconds"),
    Effect.catchTags({
      InvalidGrant: () => Effect.succeed(ok("Application", `the service knows ${clientId}`)),
      InvalidClient: () =>
        Effect.succeed(
          failed(
            "HEDDLE_CLIENT_SECRET",
            `the service does not accept the client id ${clientId} with this secret, or the application is not active`,
            "Copy both again from where the application was registered."
          )
        )
    }),
    Effect.catchAll((error) =>
      Effect.succeed(
        failed(
          "Application",
          `the service could not tell whether it knows ${clientId} (${error._tag})`,
          "Look whether HEDDLE_BASE_URL is the address of the service, or try again later."
        )
      )
    )
  )

/** Whether the service shows its authorization page. */
const callback = ({ baseUrl, clientId }: Client, callback: string): Effect.Effect<Finding> =>
  Effect.gen(function* () {
    const { url } = yield* AuthorizationRequest.make({ baseUrl, clientId, redirectUri: callback, scopes })
    const { status } = yield* Effect.tryPromise((signal) => fetch(url, { redirect: "manual", signal }))
    return status < 400
      ? ok("Callback", `the service sends people back to ${callback}`)
      : failed(
          "Callback",
          `the service refuses to send people back to ${callback} (status ${status})`,
          "Register exactly this address as a redirect URI of the application, with the scopes that the bot asks for."
        )
  }).pipe(
    Effect.timeout("10 seconds"),
    Effect.catchAll(() =>
      Effect.succeed(failed("Callback", "the service's page for connecting does not answer", "Try again later."))
    )
  )

const errorReason = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  if (inner instanceof Error && "code" in inner) return String(inner.code)
  return inner instanceof Error ? inner.message : String(inner)
}
