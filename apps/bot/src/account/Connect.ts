import { knownScopes, type Scope } from "@heddle/core/domain/Scope"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import {
  type PendingRequest,
  AuthorizationRequests,
  confirmationTime,
  type ConfirmationRejected
} from "@heddle/oauth/AuthorizationRequests"
import type { CallbackRejected } from "@heddle/oauth/AuthorizationResponse"
import { Grants } from "@heddle/oauth/Grants"
import { TokenEndpoint } from "@heddle/oauth/TokenEndpoint"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import { Application } from "../model/Application.ts"
import { BotSettings } from "../model/BotSettings.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import { oneLine } from "../text/Truncate.ts"
import { Accounts } from "../access/Accounts.ts"
import { ConnectMessages } from "./ConnectMessages.ts"
import { Replacements } from "./Replacements.ts"

/** The scopes of the first authorization. Commands request further scopes when they need them. */
export const scopes: ReadonlyArray<Scope> = [
  "user.profile.readable",
  "user.credit.readable",
  "user.task.readable",
  "user.task.invokable"
]

/** Scopes that are requested together, so that the next step needs no second authorization. */
const relatedScopes: ReadonlyArray<ReadonlyArray<Scope>> = [
  ["user.localassistant.readable", "user.localassistant.invokable"]
]

/** These scopes and the other scopes of their families. */
export const withRelatedScopes = (requested: ReadonlyArray<Scope>): ReadonlyArray<Scope> => [
  ...new Set([
    ...requested,
    ...relatedScopes.filter((family) => family.some((scope) => requested.includes(scope))).flat()
  ])
]

/** The person who gets a link; `id` is the interaction whose answer shows it. */
export type LinkRequester = Pick<ReplyTo, "displayName" | "id" | "userId" | "userName">

/** The content of the callback page: the person of the link, and the one-time code that they type in Discord. */
export interface CodePage {
  readonly userName: string
  readonly displayName: string
  readonly code: Redacted.Redacted
  /** The code's remaining lifetime in whole minutes. */
  readonly minutes: number
}

/** The result of a code. */
export type Confirmation =
  /**
   * The account is connected. `allowed` and `refused` are the additional scopes that were requested beyond {@link
   * scopes}.
   */
  | {
      readonly _tag: "Connected"
      /**
       * The person's account before; "ended" means that the service had ended the connection, and it is connected
       * again.
       */
      readonly before: "none" | "ended" | "connected"
      readonly allowed: ReadonlyArray<Scope>
      readonly refused: ReadonlyArray<Scope>
    }
  /** A different account than the connected one; it waits until the person confirms the replacement. */
  | { readonly _tag: "Offered"; readonly offerId: string }

/**
 * Connects accounts by a private link, the service's pages and a one-time code. The code protects the link: a grant
 * belongs to the person of the link only after that person types the code. Only the page at the end of the link shows
 * the code.
 */
export class Connect extends Context.Tag("@heddle/bot/Connect")<
  Connect,
  {
    /**
     * Makes a private link that works once, within ten minutes. It requests the granted scopes, {@link scopes} and
     * `additionalScopes`.
     */
    readonly begin: (
      person: LinkRequester,
      additionalScopes?: ReadonlyArray<Scope>
    ) => Effect.Effect<{ readonly url: string }>
    /**
     * Handles the service's callback and keeps the grant until the person types the code. When the callback is
     * unusable, the private answer with the link says so at once.
     */
    readonly handleCallback: (params: URLSearchParams) => Effect.Effect<CodePage, CallbackRejected | OpenApiError>
    /**
     * Connects the account whose code the person typed; `Resume` then continues the work that waits for it. A different
     * account than the connected one is only offered, see `Replacements`.
     */
    readonly confirm: (
      userId: string,
      code: Redacted.Redacted
    ) => Effect.Effect<Confirmation, ConfirmationRejected | OpenApiError>
  }
>() {}

export const layer: Layer.Layer<
  Connect,
  never,
  Accounts | Application | AuthorizationRequests | BotSettings | Grants | ConnectMessages | Replacements | TokenEndpoint
> = Layer.effect(
  Connect,
  Effect.gen(function* () {
    const { callbackUrl, clientId } = yield* Application
    const { baseUrl } = yield* BotSettings
    const accounts = yield* Accounts
    const grants = yield* Grants
    const connectMessages = yield* ConnectMessages
    const replacements = yield* Replacements
    const requests = yield* AuthorizationRequests
    const tokens = yield* TokenEndpoint
    /** Do not wait long for Discord: the page says the same. */
    const showRefusal = ({ request, userLabel = "" }: PendingRequest, { _tag }: { readonly _tag: string }) => {
      const additionalScopes = [...(request.scopes ?? [])].filter((scope) => !scopes.includes(scope))
      return Effect.timeoutOption(
        connectMessages.showRefusal(
          userLabel.split("\n")[2] ?? "",
          _tag === "AccessDenied" ? "denied" : "failed",
          additionalScopes
        ),
        "3 seconds"
      )
    }
    return Connect.of({
      begin: Effect.fn("Connect.begin")(function* ({ displayName, id, userId, userName }, additionalScopes = []) {
        const granted = Option.flatMapNullable(yield* grants.describe(userId), (grant) => grant.scopes)
        return yield* requests.begin({
          baseUrl,
          clientId,
          redirectUri: callbackUrl,
          scopes: new Set([...scopes, ...Option.getOrElse(granted, () => []), ...additionalScopes]),
          userId,
          userLabel: [oneLine(userName, 100), oneLine(displayName, 100), id].join("\n")
        })
        // The start checked the address, and the bot cannot run without its database.
      }, Effect.orDie),
      handleCallback: Effect.fn("Connect.handleCallback")(function* (params) {
        const { confirmationCode, userLabel = "" } = yield* Effect.flatMap(requests.find(params), (pending) =>
          Effect.tapError(requests.holdForConfirmation(params), (error) =>
            Option.match(pending, { onNone: () => Effect.void, onSome: (open) => showRefusal(open, error) })
          )
        ).pipe(Effect.catchTag("TokenStoreUnavailable", Effect.die))
        const [userName = "", displayName = ""] = userLabel.split("\n")
        return { userName, displayName, code: confirmationCode, minutes: Math.floor(confirmationTime / 60_000) }
      }),
      confirm: Effect.fn("Connect.confirm")(function* (userId, confirmationCode) {
        const { code, request } = yield* requests
          .confirm({ userId, confirmationCode })
          .pipe(Effect.catchTag("TokenStoreUnavailable", Effect.die))
        const requestedScopes = request.scopes ?? new Set(scopes)
        const granted = yield* tokens.exchange({ ...request, code, scopes: requestedScopes })
        const { openId } = granted
        if (yield* accounts.isAnother(userId, openId)) {
          return { _tag: "Offered", offerId: yield* replacements.offer(userId, granted) } as const
        }
        const before = yield* grants.describe(userId)
        yield* grants.save(userId, granted)
        yield* replacements.withdraw(userId)
        const previousScopes = new Set([
          ...scopes,
          ...Option.match(before, { onNone: () => [], onSome: (b) => [...(b.scopes ?? [])] })
        ])
        const grantedScopes = granted.scopes ?? requestedScopes
        const additionalScopes = [...requestedScopes].filter((scope) => !previousScopes.has(scope))
        return {
          _tag: "Connected",
          before: Option.match(before, {
            onNone: () => "none" as const,
            onSome: ({ dead }) => (Option.isSome(dead) ? "ended" : "connected")
          }),
          allowed: additionalScopes.filter((scope) => grantedScopes.has(scope)),
          refused: additionalScopes.filter((scope) => !grantedScopes.has(scope))
        } as const
        // Keep a code that was typed in time, even when the request was interrupted.
      }, Effect.uninterruptible)
    })
  })
)

/** A button's id may request known scopes only. */
export const isKnownScope = (scope: string): scope is Scope => knownScopes.some((each) => each === scope)
