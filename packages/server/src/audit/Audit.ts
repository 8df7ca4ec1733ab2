import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Crypto from "node:crypto"
import { RequestId } from "../observability/RequestId.ts"
import { MasterKey } from "../config/MasterKey.ts"

/** The action of an audit event. */
export type Action =
  | "sign_in"
  | "sign_in_failed"
  | "consent"
  | "code_issued"
  | "token_issued"
  | "refreshed"
  | "reuse_detected"
  | "revoked"
  | "client_failed"
  | "device_requested"
  | "device_decided"
  | "device_token_issued"
  | "redeemed"

/** An event to record. `outcome` is `success` or an error code. No field has a secret. */
export interface AuditEvent {
  readonly action: Action
  readonly outcome: string
  readonly userId?: string | undefined
  readonly clientId?: string | undefined
}

/** One recorded event. `at` is epoch milliseconds; equal addresses have equal hashes. */
export interface Entry {
  readonly eventId: string
  readonly at: number
  readonly action: Action
  readonly outcome: string
  readonly userId: string | null
  readonly clientId: string | null
  readonly requestId: string | null
  readonly addressHash: string | null
}

/** Which events to list; a missing field matches all. `since` is epoch milliseconds. */
export interface AuditFilter {
  readonly userId?: string
  readonly clientId?: string
  readonly since?: number
}

/** The audit log of users and applications. Events are added and never changed. */
export class Audit extends Context.Tag("@heddle/server/audit/Audit")<
  Audit,
  {
    /** Adds an event, in the caller's transaction where there is one; request id and address are the request's. */
    readonly record: (event: AuditEvent) => Effect.Effect<void>
    /** The events, oldest first. */
    readonly list: (filter: AuditFilter) => Stream.Stream<Entry>
  }
>() {}

/** How long events are kept. */
export const retention = Duration.days(365)

export const layer: Layer.Layer<Audit, never, SqlClient.SqlClient | MasterKey> = Layer.effect(
  Audit,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = (yield* MasterKey).derive("audit addresses")
    // Keyed, because all existing addresses could be tried against a plain hash.
    const hashAddress = (address: string) => Crypto.createHmac("sha256", key).update(address).digest("hex").slice(0, 32)

    const page = (filter: AuditFilter, after: string) =>
      sql<Entry>`SELECT event_id AS "eventId", at, action, outcome, user_id AS "userId", client_id AS "clientId",
          request_id AS "requestId", address_hash AS "addressHash" FROM audit_events
        WHERE ${sql.and([
          sql`event_id > ${after}`,
          sql`at >= ${filter.since ?? 0}`,
          ...(filter.userId === undefined ? [] : [sql`user_id = ${filter.userId}`]),
          ...(filter.clientId === undefined ? [] : [sql`client_id = ${filter.clientId}`])
        ])} ORDER BY event_id LIMIT ${pageSize}`.pipe(Effect.orDie)

    return {
      record: Effect.fn("Audit.record")(function* ({ action, clientId, outcome, userId }) {
        const now = yield* Clock.currentTimeMillis
        const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
        const address = Option.flatMap(request, ({ remoteAddress }) => remoteAddress)
        const requestId = yield* RequestId
        yield* sql`INSERT INTO audit_events (event_id, at, action, outcome, user_id, client_id, request_id, address_hash)
          VALUES (${eventId(now)}, ${now}, ${action}, ${outcome}, ${userId ?? null}, ${clientId?.slice(0, 64) ?? null},
            ${requestId === "" ? null : requestId}, ${Option.getOrNull(Option.map(address, hashAddress))})`
      }, Effect.orDie),

      list: (filter) =>
        Stream.paginateChunkEffect(eventIdPrefix(filter.since ?? 0), (after) =>
          Effect.map(page(filter, after), (rows) => [
            Chunk.unsafeFromArray(rows),
            rows.length < pageSize ? Option.none() : Option.map(Option.fromNullable(rows.at(-1)), (row) => row.eventId)
          ])
        ).pipe(Stream.withSpan("Audit.list"))
    }
  })
)

const pageSize = 500

let count = 0

/** Sorts by time, and within a millisecond by the order in this process. */
const eventId = (now: number): string => {
  count = (count + 1) % 0x1000000
  return `${eventIdPrefix(now)}${count.toString(16).padStart(6, "0")}${Crypto.randomBytes(5).toString("hex")}`
}

const eventIdPrefix = (time: number): string => Math.max(0, time).toString(16).padStart(12, "0")
