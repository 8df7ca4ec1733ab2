import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { GuildSettings } from "./GuildSettings.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { ReplyTo } from "../discord/DiscordEvent.ts"
import { column } from "./database/Json.ts"
import { type CommandIds, withMentions } from "../messages/CommandMentions.ts"
import type { Messages } from "../messages/Messages.ts"
import { forLocale } from "../messages/Translations.ts"

/** Selects the texts for a reader; commands in them are mentions. */
export class Languages extends Context.Tag("@heddle/bot/Languages")<
  Languages,
  {
    /** The texts for one person, in their Discord language. */
    readonly ofPerson: (reply: Pick<ReplyTo, "guildId" | "locale">) => Effect.Effect<Messages>
    /** The texts for a later message to one person, in the language of their last interaction. */
    readonly forStoredLocale: (userId: string, guildId: string | undefined) => Effect.Effect<Messages>
    /** Stores the language of a person's interaction. */
    readonly rememberLocale: (reply: Pick<ReplyTo, "locale" | "userId">) => Effect.Effect<void>
    /** The texts for everyone in a server. */
    readonly ofGuild: (guildId: string) => Effect.Effect<Messages>
    /** Stores a server's command ids and the hash of its registered commands. */
    readonly saveCommandIds: (guildId: string, hash: string, ids: CommandIds) => Effect.Effect<void>
    /** The hash of a server's registered commands; undefined before the first registration. */
    readonly hashOf: (guildId: string) => Effect.Effect<string | undefined>
  }
>() {}

/** The texts for everyone in a server. */
export const messagesFor = (guildId: string): Effect.Effect<Messages, never, Languages> =>
  Effect.flatMap(Languages, ({ ofGuild }) => ofGuild(guildId))

export const layer: Layer.Layer<Languages, never, DiscordClient | GuildSettings | SqlClient.SqlClient> = Layer.effect(
  Languages,
  Effect.gen(function* () {
    const { guild } = yield* DiscordClient
    const sql = yield* SqlClient.SqlClient
    const settings = yield* GuildSettings
    // Kept in memory, since opening a form must not wait for the store.
    const guilds = new Map<string, GuildCommands>()
    const cacheCommands = ({ guild_id, hash, ids }: Row) =>
      guilds.set(guild_id, { hash, ids: idsColumn.read(ids), translations: new Map() })
    for (const row of yield* sql<Row>`SELECT guild_id, hash, ids FROM guild_commands`) cacheCommands(row)

    const textsFor = (guildId: string | undefined, locale: string): Messages => {
      const language = forLocale(locale)
      const cached = guildId === undefined ? undefined : guilds.get(guildId)
      if (cached === undefined) return language
      const translations = cached.translations.get(language) ?? withMentions(language, cached.ids)
      cached.translations.set(language, translations)
      return translations
    }

    const ofGuild = (guildId: string) =>
      Effect.map(settings.language(guildId), (locale) =>
        textsFor(
          guildId,
          Option.getOrElse(locale, () => guild(guildId)?.locale ?? "")
        )
      )
    const localeOf = (userId: string) =>
      sql<{ readonly locale: string }>`SELECT locale FROM locales WHERE user_id = ${userId}`.pipe(
        Effect.map(([row]) => row?.locale),
        Effect.orDie
      )

    return Languages.of({
      ofPerson: ({ guildId, locale }) => Effect.sync(() => textsFor(guildId, locale)),
      forStoredLocale: Effect.fn("Languages.forStoredLocale")(function* (userId, guildId) {
        const locale = yield* localeOf(userId)
        // The server's language is the best guess for people who only wrote messages.
        return locale === undefined && guildId !== undefined ? yield* ofGuild(guildId) : textsFor(guildId, locale ?? "")
      }),
      rememberLocale: Effect.fn("Languages.rememberLocale")(function* ({ locale, userId }) {
        if ((yield* localeOf(userId)) === locale) return
        yield* sql`INSERT INTO locales ${sql.insert({ user_id: userId, locale })}
          ON CONFLICT (user_id) DO UPDATE SET locale = excluded.locale`
      }, Effect.orDie),
      ofGuild,
      saveCommandIds: Effect.fnUntraced(function* (guildId, hash, ids) {
        const row: Row = { guild_id: guildId, hash, ids: idsColumn.write(ids) }
        yield* sql`INSERT INTO guild_commands ${sql.insert({ ...row })}
          ON CONFLICT (guild_id) DO UPDATE SET hash = excluded.hash, ids = excluded.ids`
        cacheCommands(row)
      }, Effect.orDie),
      hashOf: (guildId) =>
        Effect.sync(() => {
          const cached = guilds.get(guildId)
          // An earlier version did not store the ids.
          return cached === undefined || Object.keys(cached.ids).length === 0 ? undefined : cached.hash
        })
    })
  }).pipe(Effect.orDie)
)

interface GuildCommands {
  readonly hash: string
  readonly ids: CommandIds
  readonly translations: Map<Messages, Messages>
}

interface Row {
  readonly guild_id: string
  readonly hash: string
  readonly ids: string
}

const idsColumn = column(Schema.Record({ key: Schema.String, value: Schema.String }))
