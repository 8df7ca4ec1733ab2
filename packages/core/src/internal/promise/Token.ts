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
  const ask = typeof source === "function" ? source : () => source.current()
  const renewal = typeof source === "function" ? (failed: string) => failed : shared((failed) => source.renew(failed))
  const current = async () => secret(await ask())
  return Layer.succeed(AccessToken.AccessToken, {
    current: Effect.promise(current),
    renew: (failed) =>
      Effect.promise(async () => {
        const now = await current()
        // A call that was refused late finds the token that another one's refusal has brought.
        return isSame(now, failed) ? secret(await renewal(Redacted.value(failed))) : now
      }).pipe(
        Effect.filterOrFail(
          (token) => !isSame(token, failed),
          () => new Reauthorize({ reason: "the service refused the access token, and there is no newer one" })
        )
      )
  })
}

const isSame = (one: Redacted.Redacted, other: Redacted.Redacted): boolean =>
  Redacted.value(one) === Redacted.value(other)

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
