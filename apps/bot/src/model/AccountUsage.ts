import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Receives the turns that used an account of the service. */
export class AccountUsage extends Context.Tag("@heddle/bot/AccountUsage")<
  AccountUsage,
  {
    /** A turn on this person's account ended in this server; returns at once. */
    readonly turnEnded: (userId: string, guildId: string) => Effect.Effect<void>
  }
>() {}
