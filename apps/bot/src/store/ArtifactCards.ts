import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { column } from "./database/Json.ts"
import { ArtifactContent, type ArtifactCard } from "../model/ArtifactCard.ts"
import type { CardChanges, PlanText } from "../model/ArtifactChanges.ts"
import * as Table from "./database/Table.ts"

/** A stored version of a plan. */
export interface PlanVersion {
  /** The number of the version in the order of sight, from 1. */
  readonly number: number
  /** The agent's own version number. */
  readonly version: number | undefined
  readonly text: string
  /** Epoch milliseconds. */
  readonly seenAt: number
}

/** How many versions of a plan are kept: Discord's limit of a select. */
export const versionsKept = 25

/** The artifact cards of all threads, and the versions of plans. */
export class ArtifactCards extends Context.Tag("@heddle/bot/ArtifactCards")<
  ArtifactCards,
  {
    /** The cards of a thread in the order of creation. */
    readonly ofThread: (threadId: string) => Effect.Effect<ReadonlyArray<ArtifactCard>>
    /** Stores changed cards and new versions of plans. */
    readonly keep: (threadId: string, news: CardChanges, now: number) => Effect.Effect<void>
    /** The newest versions of a plan, newest first. */
    readonly versions: (threadId: string, uri: string) => Effect.Effect<ReadonlyArray<PlanVersion>>
  }
>() {}

export const layer = Table.layer(ArtifactCards, (sql) => {
  const putCard = (threadId: string, card: ArtifactCard) =>
    sql`INSERT INTO artifact_cards ${sql.insert({
      thread_id: threadId,
      uri: card.uri,
      number: card.number,
      created_at: card.createdAt,
      made_in: card.madeIn,
      changed_in: card.changedIn,
      deleted: card.deleted ? 1 : 0,
      body: body.write(card.body)
    })} ON CONFLICT (thread_id, uri) DO UPDATE SET
        changed_in = excluded.changed_in, deleted = excluded.deleted, body = excluded.body`

  const versions = (threadId: string, uri: string) =>
    sql<VersionRow>`SELECT * FROM plan_versions WHERE thread_id = ${threadId} AND uri = ${uri} ORDER BY number DESC`

  const putPlan = Effect.fnUntraced(function* (threadId: string, plan: PlanText, now: number) {
    const { previousText, text, uri, version } = plan
    const [last] = yield* versions(threadId, uri)
    if (last?.text === text && (last.version ?? undefined) === version) return
    let number = last?.number ?? 0
    const put = (version: number | undefined, text: string) =>
      sql`INSERT INTO plan_versions ${sql.insert({
        thread_id: threadId,
        uri,
        number: ++number,
        version: version ?? null,
        text,
        seen_at: now
      })}`
    // The bot never saw this version.
    if (previousText !== undefined && previousText !== last?.text) {
      yield* put(version === undefined || version <= 1 ? undefined : version - 1, previousText)
    }
    yield* put(version, text)
    yield* sql`DELETE FROM plan_versions WHERE thread_id = ${threadId} AND uri = ${uri}
        AND number <= ${number - versionsKept}`
  })

  return ArtifactCards.of({
    ofThread: (threadId) =>
      sql<CardRow>`SELECT * FROM artifact_cards WHERE thread_id = ${threadId} ORDER BY created_at, number`.pipe(
        Table.all((row) => ({
          uri: row.uri,
          number: Number(row.number),
          createdAt: Number(row.created_at),
          madeIn: row.made_in,
          changedIn: row.changed_in,
          deleted: row.deleted === 1,
          body: body.read(row.body)
        }))
      ),
    keep: (threadId, { cards, plans }, now) =>
      Effect.forEach(cards, (card) => putCard(threadId, card), { discard: true }).pipe(
        Effect.zipRight(Effect.forEach(plans, (plan) => putPlan(threadId, plan, now), { discard: true })),
        sql.withTransaction,
        Effect.orDie
      ),
    versions: (threadId, uri) =>
      versions(threadId, uri).pipe(
        Table.all((row) => ({
          number: Number(row.number),
          version: row.version ?? undefined,
          text: row.text,
          seenAt: Number(row.seen_at)
        }))
      )
  })
})

const body = column(ArtifactContent)

interface CardRow {
  readonly uri: string
  readonly number: number
  readonly created_at: number
  readonly made_in: string
  readonly changed_in: string
  readonly deleted: number
  readonly body: string
}

interface VersionRow {
  readonly number: number
  readonly version: number | null
  readonly text: string
  readonly seen_at: number
}
