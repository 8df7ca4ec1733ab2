import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Settings } from "../Settings.ts"
import * as Http from "./Http.ts"

/**
 * Finds why no check could pass: the service does not answer, has no such endpoint, or refuses the credentials that
 * every check needs.
 */
export const findProblem = ({ baseUrl, values }: Settings): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const [accessToken = "", clientId = "", clientSecret = ""] = (["accessToken", "clientId", "clientSecret"] as const)
      .flatMap((name) => values.get(name)?.slice(0, 1) ?? [])
      .map(Redacted.value)
    const profile = yield* send(baseUrl, "GET", "/openapi/v2/user/profile", { authorization: `Bearer ${accessToken}` })
    if (profile.status === 404) {
      return `${baseUrl} has no /openapi/v2/user/profile; the base URL is what stands before /openapi`
    }
    if (profile.status === 401) return `${baseUrl} refuses the access token (401); give a fresh one with --access-token`
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: "no refresh token",
      client_id: clientId,
      client_secret: clientSecret
    })
    const token = yield* send(
      baseUrl,
      "POST",
      "/openapi/v2/token",
      { "content-type": "application/x-www-form-urlencoded" },
      Buffer.from(form.toString())
    )
    return token.status === 401 && token.body.includes("invalid_client")
      ? `${baseUrl} refuses the application (401 invalid_client); check --client-id and --client-secret`
      : undefined
  }).pipe(Effect.catchAll(({ reason }) => Effect.succeed(`${baseUrl} does not answer: ${reason}`)))

const send = (
  baseUrl: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: Uint8Array
) => {
  const url = new URL(`${baseUrl}${path}`)
  return Http.exchange({
    method,
    url,
    target: url.pathname,
    headers: {
      host: url.host,
      ...(body === undefined ? {} : { "content-length": String(body.length) }),
      ...headers
    },
    body
  })
}
