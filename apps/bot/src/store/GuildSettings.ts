import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog } from "./AuditLog.ts"
import type { By } from "./Rules.ts"
import * as Table from "./database/Table.ts"

/** The settings of a server besides its rules. */
export class GuildSettings extends Context.Tag("@heddle/bot/GuildSettings")<
  GuildSettings,
  {
    /** The chosen locale of public texts, such as `zh-CN`; none by default. */
    readonly language: (guildId: string) => Effect.Effect<Option.Option<string>>
    /** Sets the locale, or returns to the server's own, and logs who did it. */
    readonly setLanguage: (guildId: string, locale: Option.Option<string>, by: By) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layerWith(GuildSettings, AuditLog, (sql, audit) => {
  return GuildSettings.of({
    language: (guildId) =>
      sql<{ language: string | null }>`SELECT language FROM guild_settings WHERE guild_id = ${guildId}`.pipe(
        Effect.orDie,
        Effect.map((rows) => Option.fromNullable(rows[0]?.language))
      ),
    setLanguage: Effect.fn("GuildSettings.setLanguage")(function* (guildId, chosen, by) {
      const locale = Option.getOrNull(chosen)
      const change = sql`INSERT INTO guild_settings ${sql.insert({ guild_id: guildId, language: locale })}
          ON CONFLICT (guild_id) DO UPDATE SET language = excluded.language`
      const action = { _tag: "LanguageSet", locale } as const
      yield* sql.withTransaction(
        Effect.zipRight(change, audit.record({ ...by, actorId: by.userId, guildId, threadId: undefined, action }))
      )
    }, Effect.orDie)
  })
})
