import type { AccessToken } from "@heddle/core/AccessToken"
import type { OpenId } from "@heddle/core/domain/OpenId"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TokenStoreTimeout from "./internal/TokenStoreTimeout.ts"
import * as AccessTokens from "./AccessTokens.ts"
import { TokenEndpoint } from "./TokenEndpoint.ts"
import type { TokenSet } from "./TokenSet.ts"
import { TokenStore } from "./TokenStore.ts"

/** What is known of a grant without using it; `dead` says why its user has to connect again. */
export interface Description {
  readonly scopes: TokenSet["scopes"]
  readonly openId: TokenSet["openId"]
  readonly dead: Option.Option<string>
  /** When it ends by itself, in epoch milliseconds; undefined where nobody knows: with a refresh token, above all. */
  readonly endsAt: number | undefined
}

/** The accounts that are connected, each under a name of the caller's choice. A store that stays away is a defect. */
export class Grants extends Context.Tag("@heddle/oauth/Grants")<
  Grants,
  {
    /**
     * Keeps the tokens of a new authorization, in place of any before. While the store is down they are kept in memory
     * and used, and writing goes on.
     */
    readonly save: (grantId: string, tokens: TokenSet) => Effect.Effect<void>
    /**
     * The grant as core's `AccessToken`: renewed in time, `Reauthorize` once it is dead or was never there, and, with an
     * `account`, once it is known to be another account's.
     */
    readonly accessToken: (grantId: string, account?: OpenId) => Context.Tag.Service<AccessToken>
    /** What is known of the grant; none where nobody connected. */
    readonly describe: (grantId: string) => Effect.Effect<Option.Option<Description>>
    /**
     * Gives a grant another name, in place of any grant that has that one; false when there is none, or it is dead. It
     * is one write, which joins a transaction that is open.
     */
    readonly move: (grantId: string, to: string) => Effect.Effect<boolean>
    /** Whether two names have a grant of the same tokens: what ends one at the service ends the other. */
    readonly isSame: (grantId: string, other: string) => Effect.Effect<boolean>
    /** Forgets the grant here; the service is not told. */
    readonly forget: (grantId: string) => Effect.Effect<void>
    /**
     * Revokes the grant at the service, and forgets it here when the service has confirmed that. `false`: there is nothing
     * that could be revoked, or the service offers no way to do it; then it is only forgotten. It stays when this fails.
     */
    readonly revoke: (grantId: string) => Effect.Effect<boolean, OpenApiError>
    /**
     * Revokes the grant at the service, where it offers that, and forgets it here in any case.
     * `false`: the service was not told, or did not answer; its user can still disconnect there.
     */
    readonly disconnect: (grantId: string) => Effect.Effect<boolean>
  }
>() {}

export const layer: Layer.Layer<Grants, never, TokenStore | TokenEndpoint> = Layer.scoped(
  Grants,
  Effect.gen(function* () {
    const given = yield* TokenStore
    const store = TokenStoreTimeout.make(given)
    const endpoint = yield* TokenEndpoint
    const accessTokens = yield* AccessTokens.make
    const remove = (grantId: string) =>
      Effect.suspend(() => {
        accessTokens.forget(grantId)
        return Effect.orDie(store.remove(grantId))
      })
    const tokensOf = (grantId: string) =>
      Effect.map(
        Effect.orDie(store.get(grantId)),
        Option.flatMap((grant) => grant.tokens)
      )
    const revoke = Effect.fn("Grants.revoke")(function* (grantId: string) {
      const tokens = yield* tokensOf(grantId)
      const revoked = yield* Effect.transposeMapOption(tokens, endpoint.revoke)
      yield* remove(grantId)
      return Option.getOrElse(revoked, () => false)
    })
    return Grants.of({
      save: Effect.fn("Grants.save")(accessTokens.save),
      accessToken: accessTokens.forGrant,
      describe: Effect.fn("Grants.describe")((grantId) =>
        Effect.map(
          Effect.orDie(store.get(grantId)),
          Option.map(({ dead, openId, scopes, tokens }) => ({ dead, openId, scopes, endsAt: endOf(tokens) }))
        )
      ),
      move: Effect.fn("Grants.move")(function* (grantId, to) {
        // Not left to itself when it takes long: a transaction of the caller is over then.
        const moved = yield* Effect.orDie(given.move(grantId, to))
        if (moved) for (const each of [grantId, to]) accessTokens.forget(each)
        return moved
      }, Effect.uninterruptible),
      isSame: Effect.fn("Grants.isSame")(function* (grantId, other) {
        const [one, two] = yield* Effect.all([tokensOf(grantId), tokensOf(other)])
        return Option.isSome(one) && Option.isSome(two) && haveOneInCommon(one.value, two.value)
      }),
      forget: Effect.fn("Grants.forget")((grantId) => remove(grantId)),
      revoke,
      disconnect: Effect.fn("Grants.disconnect")((grantId) =>
        revoke(grantId).pipe(
          Effect.catchAll((error) =>
            Effect.logWarning("A grant could not be revoked at the service", error.message).pipe(
              Effect.zipRight(remove(grantId)),
              Effect.as(false)
            )
          )
        )
      )
    })
  })
)

const endOf = (tokens: Option.Option<TokenSet>): number | undefined =>
  Option.isNone(tokens) || tokens.value.refreshToken !== undefined ? undefined : tokens.value.expiresAt

const haveOneInCommon = (one: TokenSet, two: TokenSet): boolean =>
  one.refreshToken === undefined || two.refreshToken === undefined
    ? Redacted.value(one.accessToken) === Redacted.value(two.accessToken)
    : Redacted.value(one.refreshToken) === Redacted.value(two.refreshToken)
