import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { AuditLog } from "./AuditLog.ts"
import type { Rule, Subject } from "../model/Access.ts"
import * as Table from "./database/Table.ts"

/** The person, time and interaction of a change. */
export interface By {
  readonly eventId: string
  readonly userId: string
  readonly at: number
}

/** The rules of each server. */
export class Rules extends Context.Tag("@heddle/bot/Rules")<
  Rules,
  {
    readonly of: (guildId: string) => Effect.Effect<ReadonlyArray<Rule>>
    /** Sets a rule and logs who did it; without `allow` removes the rule. */
    readonly set: (
      guildId: string,
      rule: Omit<Rule, "allow"> & { readonly allow: boolean | undefined },
      by: By
    ) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layerWith(Rules, AuditLog, (sql, audit) => {
  /** The cache until the next change: one process owns the store, and every event needs the rules. */
  let cache = new Map<string, ReadonlyArray<Rule>>()
  const read = (guildId: string) =>
    Effect.suspend(() => {
      const generation = cache
      return sql<Row>`SELECT subject, subject_id, channel_id, capability, allow FROM access_rules
          WHERE guild_id = ${guildId} ORDER BY capability, subject, subject_id, channel_id`.pipe(
        Effect.orDie,
        Effect.map((rows) => {
          const rules = rows.map(fromRow)
          generation.set(guildId, rules)
          return rules
        })
      )
    })
  return Rules.of({
    of: (guildId) =>
      Effect.suspend(() => {
        const rules = cache.get(guildId)
        return rules === undefined ? read(guildId) : Effect.succeed(rules)
      }),
    set: Effect.fn("Rules.set")(function* (guildId, rule, by) {
      const subjectId = rule.subject._tag === "Everyone" ? "" : rule.subject.id
      const row = {
        guild_id: guildId,
        subject: rule.subject._tag,
        subject_id: subjectId,
        channel_id: rule.channelId ?? "",
        capability: rule.capability
      }
      const change =
        rule.allow === undefined
          ? sql`DELETE FROM access_rules WHERE ${sql.and(Object.entries(row).map(([name, value]) => sql`${sql(name)} = ${value}`))}`
          : sql`INSERT INTO access_rules ${sql.insert({ ...row, allow: rule.allow ? 1 : 0 })}
                ON CONFLICT (guild_id, subject, subject_id, channel_id, capability) DO UPDATE SET allow = excluded.allow`
      const action = {
        _tag: "RuleSet",
        subject: rule.subject._tag,
        subjectId,
        channelId: rule.channelId ?? "",
        capability: rule.capability,
        allow: rule.allow ?? null
      } as const
      const note = audit.record({ ...by, actorId: by.userId, guildId, threadId: undefined, action })
      yield* sql.withTransaction(Effect.zipRight(change, note)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            cache = new Map()
          })
        )
      )
    }, Effect.orDie)
  })
})

interface Row {
  readonly subject: Subject["_tag"]
  readonly subject_id: string
  readonly channel_id: string
  readonly capability: Rule["capability"]
  readonly allow: number
}

const fromRow = (row: Row): Rule => ({
  subject: row.subject === "Everyone" ? { _tag: "Everyone" } : { _tag: row.subject, id: row.subject_id },
  channelId: row.channel_id === "" ? undefined : row.channel_id,
  capability: row.capability,
  allow: row.allow === 1
})
