import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as AccessToken from "../../AccessToken.ts"
import { Reauthorize } from "../../OpenApiError.ts"

/**
 * Where the access token comes from: a fixed one; a function that gives the one to use now, asked before each request;
 * or a pair that also renews a token which the service has refused. What they reject with, the call rejects with.
 */
export type TokenSource =
  | string
  | (() => string | Promise<string>)
  | {
      readonly current: () => string | Promise<string>
      readonly renew: (failed: string) => string | Promise<string>
    }

export const layer = (source: TokenSource): Layer.Layer<AccessToken.AccessToken> => {
  if (typeof source === "string") return AccessToken.layer(secret(source))
  const current = typeof source === "function" ? source : () => source.current()
  const renew = typeof source === "function" ? () => source() : shared((failed) => source.renew(failed))
  return Layer.succeed(AccessToken.AccessToken, {
    current: Effect.promise(async () => secret(await current())),
    renew: (failed) =>
      Effect.flatMap(
        Effect.promise(async () => secret(await renew(Redacted.value(failed)))),
        (token) =>
          Redacted.value(token) === Redacted.value(failed)
            ? new Reauthorize({ reason: "the service refused the access token, and there is no newer one" })
            : Effect.succeed(token)
      )
  })
}

const secret = (token: unknown): Redacted.Redacted => {
  if (typeof token !== "string" || token === "") throw new TypeError("The access token must be a string with a token.")
  return Redacted.make(token)
}

/** One renewal of a refused token, however many calls it was refused to. */
const shared = (renew: (failed: string) => string | Promise<string>) => {
  const underWay = new Map<string, Promise<string>>()
  return (failed: string): Promise<string> => {
    const running = underWay.get(failed)
    if (running !== undefined) return running
    const renewal = Promise.resolve(renew(failed)).finally(() => underWay.delete(failed))
    underWay.set(failed, renewal)
    return renewal
  }
}
