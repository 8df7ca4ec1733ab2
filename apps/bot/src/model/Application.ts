import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

/** The bot as an application of the service. */
export class Application extends Context.Tag("@heddle/bot/model/Application")<
  Application,
  {
    readonly clientId: string
    readonly clientSecret: Redacted.Redacted
    /** Where the service sends people back to after they have agreed. */
    readonly callbackUrl: string
  }
>() {}
