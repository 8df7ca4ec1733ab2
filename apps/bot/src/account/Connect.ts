import { known, type Scope } from "@heddle/core/domain/Scope"
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
import { OpenCards } from "./OpenCards.ts"
import { Replacements } from "./Replacements.ts"

/** The authorization that the bot asks for at first; what else a command needs is asked for when it is used. */
export const scopes: ReadonlyArray<Scope> = [
  "user.profile.readable",
  "user.credit.readable",
  "user.task.readable",
  "user.task.invokable"
]

/** What the service is asked for together, so that a person is not asked again for the next step of the same thing. */
const families: ReadonlyArray<ReadonlyArray<Scope>> = [
  ["user.localassistant.readable", "user.localassistant.invokable"]
]

/** These scopes with those that belong to them. */
export const withFamily = (wanted: ReadonlyArray<Scope>): ReadonlyArray<Scope> => [
  ...new Set([...wanted, ...families.filter((family) => family.some((scope) => wanted.includes(scope))).flat()])
]

/** For whom a link is made; `id` names the answer that shows it. */
export type Asker = Pick<ReplyTo, "displayName" | "id" | "userId" | "userName">

/** What the callback's page shows: for whom the link was made, and the one-time code that they type at Discord. */
export interface CodePage {
  readonly userName: string
  readonly displayName: string
  readonly code: Redacted.Redacted
  /** For how many whole minutes the code is good. */
  readonly minutes: number
}

/** What came of a code. */
export type Confirmed =
  /** The account is connected. `allowed` and `refused`: what was asked for besides {@link scopes}, and not had before. */
  | {
      readonly _tag: "Connected"
      /** What there was of this person's account: a connection that the service had ended is one again. */
      readonly before: "none" | "ended" | "connected"
      readonly allowed: ReadonlyArray<Scope>
      readonly refused: ReadonlyArray<Scope>
    }
  /** It is another account than the one that is connected, and waits for its person to say that it replaces that. */
  | { readonly _tag: "Offered"; readonly offerId: string }

/**
 * Connecting people's accounts: a private link, the service's pages, and a one-time code. Whoever follows a link that
 * was made for somebody else gives them nothing: what the service answers belongs to nobody until the person for whom
 * the link was made has typed the code, which only the page shows that the link ends on.
 */
export class Connect extends Context.Tag("@heddle/bot/Connect")<
  Connect,
  {
    /**
     * Makes a link for this person alone; it is good for ten minutes and one use. It asks for what is granted already,
     * for {@link scopes}, and for more where that is named.
     */
    readonly begin: (person: Asker, more?: ReadonlyArray<Scope>) => Effect.Effect<{ readonly url: string }>
    /**
     * Takes the answer of the service and keeps it for the person who asked, who has to type the code. When it is none
     * to keep, the private answer that showed the link says so at once.
     */
    readonly answered: (params: URLSearchParams) => Effect.Effect<CodePage, CallbackRejected | OpenApiError>
    /**
     * Connects the account whose code this person typed; `Resume` then has go on what waits for it. Another account than the one that they have is only offered to
     * them, see `Replacements`.
     */
    readonly confirm: (
      userId: string,
      code: Redacted.Redacted
    ) => Effect.Effect<Confirmed, ConfirmationRejected | OpenApiError>
  }
>() {}

export const layer: Layer.Layer<
  Connect,
  never,
  Accounts | Application | AuthorizationRequests | BotSettings | Grants | OpenCards | Replacements | TokenEndpoint
> = Layer.effect(
  Connect,
  Effect.gen(function* () {
    const { callbackUrl, clientId } = yield* Application
    const { baseUrl } = yield* BotSettings
    const accounts = yield* Accounts
    const grants = yield* Grants
    const cards = yield* OpenCards
    const replacements = yield* Replacements
    const requests = yield* AuthorizationRequests
    const tokens = yield* TokenEndpoint
    /** Nobody waits long for Discord: the page says the same. */
    const refused = ({ request, userLabel = "" }: PendingRequest, { _tag }: { readonly _tag: string }) => {
      const more = [...(request.scopes ?? [])].filter((scope) => !scopes.includes(scope))
      return Effect.timeoutOption(
        cards.refused(userLabel.split("\n")[2] ?? "", _tag === "AccessDenied" ? "denied" : "failed", more),
        "3 seconds"
      )
    }
    return Connect.of({
      begin: Effect.fn("Connect.begin")(function* ({ displayName, id, userId, userName }, more = []) {
        const granted = Option.flatMapNullable(yield* grants.describe(userId), (grant) => grant.scopes)
        return yield* requests.begin({
          baseUrl,
          clientId,
          redirectUri: callbackUrl,
          scopes: new Set([...scopes, ...Option.getOrElse(granted, () => []), ...more]),
          userId,
          userLabel: [oneLine(userName, 100), oneLine(displayName, 100), id].join("\n")
        })
        // The address was checked at the start, and the bot does nothing without its database.
      }, Effect.orDie),
      answered: Effect.fn("Connect.answered")(function* (params) {
        const { confirmationCode, userLabel = "" } = yield* Effect.flatMap(requests.find(params), (pending) =>
          Effect.tapError(requests.holdForConfirmation(params), (error) =>
            Option.match(pending, { onNone: () => Effect.void, onSome: (open) => refused(open, error) })
          )
        ).pipe(Effect.catchTag("TokenStoreUnavailable", Effect.die))
        const [userName = "", displayName = ""] = userLabel.split("\n")
        return { userName, displayName, code: confirmationCode, minutes: Math.floor(confirmationTime / 60_000) }
      }),
      confirm: Effect.fn("Connect.confirm")(function* (userId, confirmationCode) {
        const { code, request } = yield* requests
          .confirm({ userId, confirmationCode })
          .pipe(Effect.catchTag("TokenStoreUnavailable", Effect.die))
        const asked = request.scopes ?? new Set(scopes)
        const granted = yield* tokens.exchange({ ...request, code, scopes: asked })
        const { openId } = granted
        if (yield* accounts.isAnother(userId, openId)) {
          return { _tag: "Offered", offerId: yield* replacements.offer(userId, granted) } as const
        }
        const before = yield* grants.describe(userId)
        yield* grants.save(userId, granted)
        yield* replacements.withdraw(userId)
        const had = new Set([
          ...scopes,
          ...Option.match(before, { onNone: () => [], onSome: (b) => [...(b.scopes ?? [])] })
        ])
        const has = granted.scopes ?? asked
        const more = [...asked].filter((scope) => !had.has(scope))
        return {
          _tag: "Connected",
          before: Option.match(before, {
            onNone: () => "none" as const,
            onSome: ({ dead }) => (Option.isSome(dead) ? "ended" : "connected")
          }),
          allowed: more.filter((scope) => has.has(scope)),
          refused: more.filter((scope) => !has.has(scope))
        } as const
        // What was typed in time is kept, whoever has gone meanwhile.
      }, Effect.uninterruptible)
    })
  })
)

/** Only scopes that are known are asked for by the id of a button. */
export const isKnown = (scope: string): scope is Scope => known.some((each) => each === scope)
