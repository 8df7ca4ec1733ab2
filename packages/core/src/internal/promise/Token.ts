import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as AccessToken from "../../AccessToken.ts"
import { Reauthorize } from "../../OpenApiError.ts"

/**
 * The source of the access token: a fixed token, a function, or a pair that also renews a refused token. The function
 * returns the current token and is called before each request. A call rejects with the error of its source.
 */
export type TokenSource =
  | string
  | (() => string | Promise<string>)
  | {
      readonly current: () => string | Promise<string>
      readonly renew: (failed: string) => string | Promise<string>
    }

export const make = (source: TokenSource): Context.Tag.Service<AccessToken.AccessToken> => {
  if (typeof source === "string") return AccessToken.fixed(requireToken(source))
  const readToken = typeof source === "function" ? source : () => source.current()
  const renewal =
    typeof source === "function" ? (failed: string) => failed : shareRenewals((failed) => source.renew(failed))
  const current = async () => requireToken(await readToken())
  return {
    current: Effect.promise(current),
    renew: (failed) =>
      Effect.promise(async () => {
        const token = await current()
        // Another call may have renewed the token already.
        return isSame(token, failed) ? requireToken(await renewal(Redacted.value(failed))) : token
      }).pipe(
        Effect.filterOrFail(
          (token) => !isSame(token, failed),
          () => new Reauthorize({ reason: "the service refused the access token, and there is no newer one" })
        )
      )
  }
}

const isSame = (a: Redacted.Redacted, b: Redacted.Redacted): boolean => Redacted.value(a) === Redacted.value(b)

const requireToken = (token: unknown): Redacted.Redacted => {
  if (typeof token !== "string" || token === "") throw new TypeError("The access token must be a string with a token.")
  return Redacted.make(token)
}

/** Shares one renewal of a refused token among concurrent calls. */
const shareRenewals = (renew: (failed: string) => string | Promise<string>) => {
  const renewals = new Map<string, Promise<string>>()
  return (failed: string): Promise<string> => {
    const running = renewals.get(failed)
    if (running !== undefined) return running
    const renewal = Promise.resolve(renew(failed)).finally(() => renewals.delete(failed))
    renewals.set(failed, renewal)
    return renewal
  }
}
