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

/** A grant without its tokens; `dead` says why its user has to connect again. */
export interface Description {
  readonly scopes: TokenSet["scopes"]
  readonly openId: TokenSet["openId"]
  readonly dead: Option.Option<string>
  /** When it ends by itself, in epoch milliseconds; undefined where that is unknown, as with a refresh token. */
  readonly endsAt: number | undefined
}

/** The connected accounts, each under an id of the caller's choice. A store that stays unavailable is a defect. */
export class Grants extends Context.Tag("@heddle/oauth/Grants")<
  Grants,
  {
    /**
     * Stores the tokens of a new authorization in place of earlier ones. While the store is down they stay in memory
     * and in use, and writing goes on.
     */
    readonly save: (grantId: string, tokens: TokenSet) => Effect.Effect<void>
    /**
     * The grant as core's `AccessToken`, renewed in time. It fails with `Reauthorize` when the grant is dead or
     * missing, or belongs to another account than `account`.
     */
    readonly accessToken: (grantId: string, account?: OpenId) => Context.Tag.Service<AccessToken>
    /** Describes the grant; none where no account is connected. */
    readonly describe: (grantId: string) => Effect.Effect<Option.Option<Description>>
    /**
     * Gives a grant another id, in place of any grant with that id; `false` where it is missing or dead. It is one
     * write, which joins an open transaction.
     */
    readonly move: (grantId: string, to: string) => Effect.Effect<boolean>
    /** Whether two grants share a token, so that the end of one at the service ends the other. */
    readonly isSame: (grantId: string, other: string) => Effect.Effect<boolean>
    /** Removes the grant here, and does not inform the service. */
    readonly forget: (grantId: string) => Effect.Effect<void>
    /**
     * Revokes the grant at the service, and removes it here once the service has confirmed that. `false`: there was no
     * grant, or the service has no revocation; then it is only removed here. A failure leaves the grant as it was.
     */
    readonly revoke: (grantId: string) => Effect.Effect<boolean, OpenApiError>
    /**
     * Revokes the grant at the service, where that is possible, and removes it here in any case.
     * `false`: the service was not informed, or did not answer; the user can still disconnect there.
     */
    readonly disconnect: (grantId: string) => Effect.Effect<boolean>
  }
>() {}

export const layer: Layer.Layer<Grants, never, TokenStore | TokenEndpoint> = Layer.scoped(
  Grants,
  Effect.gen(function* () {
    const tokenStore = yield* TokenStore
    const store = TokenStoreTimeout.make(tokenStore)
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
        // Without the timeout of the store: a write that went on alone would outlive the caller's transaction.
        const moved = yield* Effect.orDie(tokenStore.move(grantId, to))
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
