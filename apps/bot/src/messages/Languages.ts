import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { GuildSettings } from "../access/GuildSettings.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import { forLocale, type Messages } from "./Messages.ts"

/** In which language the bot speaks, and to whom. */
export class Languages extends Context.Tag("@heddle/bot/Languages")<
  Languages,
  {
    /** The words for one person, in the language of their own Discord. */
    readonly ofPerson: (reply: Pick<ReplyTo, "guildId" | "locale">) => Effect.Effect<Messages>
    /** The words for everybody in a server. */
    readonly ofGuild: (guildId: string) => Effect.Effect<Messages>
  }
>() {}

/** The words for everybody in a server. */
export const languageOf = (guildId: string): Effect.Effect<Messages, never, Languages> =>
  Effect.flatMap(Languages, ({ ofGuild }) => ofGuild(guildId))

export const layer: Layer.Layer<Languages, never, DiscordClient | GuildSettings> = Layer.effect(
  Languages,
  Effect.gen(function* () {
    const { localeOf } = yield* DiscordClient
    const settings = yield* GuildSettings
    return Languages.of({
      ofPerson: ({ locale }) => Effect.succeed(forLocale(locale)),
      ofGuild: (guildId) =>
        Effect.map(settings.language(guildId), (chosen) => forLocale(Option.getOrElse(chosen, () => localeOf(guildId))))
    })
  })
)
