import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** The bot as an OAuth application of the service. */
export class Application extends Context.Tag("@heddle/bot/model/Application")<
  Application,
  {
    readonly clientId: string
    readonly clientSecret: Redacted.Redacted
    /** The URL of the OAuth callback. */
    readonly callbackUrl: string
  }
>() {}
