import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Secret from "../internal/Secret.ts"
import { MasterKey } from "../config/MasterKey.ts"
import { DataVersion } from "../sql/DataVersion.ts"
import * as VersionedCache from "../sql/VersionedCache.ts"
import { ServerConfig } from "../config/ServerConfig.ts"

/** The credential is missing, unknown or expired. The caller reads the task for a new one (contract 5.7). */
export class InvalidTicket extends Schema.TaggedError<InvalidTicket>()("InvalidTicket", {}) {}

/** The credential of one task's sandbox; `expireAt` is Unix time in seconds. */
export interface Ticket {
  readonly token: Redacted.Redacted
  readonly expireAt: number
}

/** The task and the grant of a ticket. */
export interface TicketTarget {
  readonly taskId: TaskId
  readonly grantId: string
}

/** A ticket that is asked for. */
export interface TicketRequest extends TicketTarget {
  /** The access token that asks has `user.task.invokable` (contract decision 52). */
  readonly mayInvoke: boolean
}

/** A valid ticket; `expiresAt` is epoch milliseconds. */
export interface VerifiedTicket extends TicketRequest {
  readonly expiresAt: number
}

/** Credentials for the sandbox of a task: its ACP channel and its artifacts, nothing else (contract 5.7). */
export class Tickets extends Context.Tag("@heddle/server/tasks/Tickets")<
  Tickets,
  {
    /**
     * Returns the current ticket of this task, grant and right, while more than a fifth of its lifetime remains, else a new one.
     * Older tickets stay valid until they expire (contract decision 76), or until their grant ends.
     */
    readonly issue: (target: TicketRequest) => Effect.Effect<Ticket>
    /** The task of a ticket, while its grant is not revoked and the application is active. */
    readonly verify: (token: Redacted.Redacted) => Effect.Effect<VerifiedTicket, InvalidTicket>
    /** The grants among these whose tickets are still valid. */
    readonly liveGrants: (grantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  }
>() {}

export const layer: Layer.Layer<Tickets, never, SqlClient.SqlClient | MasterKey | ServerConfig> = Layer.effect(
  Tickets,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lifetimeMs = Duration.toMillis((yield* ServerConfig).ticketTtl)
    const key = (yield* MasterKey).derive("tickets")
    const isGrantActive = sql`g.revoked_at IS NULL AND a.active = 1`

    const cachedByHash = VersionedCache.make(yield* DataVersion, 10_000, (hash) =>
      sql<TicketRow>`SELECT t.task_id AS "taskId", t.grant_id AS "grantId", t.expires_at AS "expiresAt",
          t.may_invoke AS "mayInvoke"
        FROM tickets t JOIN grants g ON g.grant_id = t.grant_id JOIN applications a ON a.client_id = g.client_id
        WHERE t.token_hash = ${hash} AND ${isGrantActive}`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : { ...row, mayInvoke: row.mayInvoke === 1 })),
        Effect.orDie
      )
    )

    return {
      issue: Effect.fn("Tickets.issue")(function* ({ grantId, mayInvoke, taskId }) {
        const now = yield* Clock.currentTimeMillis
        const reusable = yield* sql<{ sealed: string; expiresAt: number }>`
          SELECT sealed, expires_at AS "expiresAt" FROM tickets
          WHERE task_id = ${taskId} AND grant_id = ${grantId} AND may_invoke = ${mayInvoke ? 1 : 0}
            AND (expires_at - ${now}) * 5 > expires_at - issued_at
          ORDER BY expires_at DESC LIMIT 1`
        const currentToken = reusable[0] === undefined ? undefined : Secret.open(key, reusable[0].sealed)
        if (currentToken !== undefined && reusable[0] !== undefined)
          return toTicket(currentToken, reusable[0].expiresAt)

        const token = Secret.generate("oa_tk_")
        const expiresAt = now + lifetimeMs
        yield* sql`DELETE FROM tickets WHERE task_id = ${taskId} AND expires_at <= ${now}`
        yield* sql`INSERT INTO tickets (token_hash, task_id, grant_id, may_invoke, sealed, issued_at, expires_at)
          VALUES (${Secret.hash(token)}, ${taskId}, ${grantId}, ${mayInvoke ? 1 : 0}, ${Secret.seal(key, token)}, ${now},
            ${expiresAt})`
        return toTicket(token, expiresAt)
      }, Effect.orDie),

      // Without a span: it runs for every request.
      verify: Effect.fnUntraced(function* (token) {
        const ticket = yield* cachedByHash(Secret.hash(Redacted.value(token)))
        if (ticket === undefined || ticket.expiresAt <= (yield* Clock.currentTimeMillis))
          return yield* new InvalidTicket()
        return ticket
      }),

      liveGrants: Effect.fn("Tickets.liveGrants")(function* (grantIds) {
        if (grantIds.length === 0) return new Set<string>()
        const rows = yield* sql<{ grantId: string }>`SELECT g.grant_id AS "grantId"
          FROM grants g JOIN applications a ON a.client_id = g.client_id
          WHERE ${sql.in("g.grant_id", grantIds)} AND ${isGrantActive}`
        return new Set(rows.map(({ grantId }) => grantId))
      }, Effect.orDie)
    }
  })
)

interface TicketRow extends TicketTarget {
  readonly expiresAt: number
  readonly mayInvoke: number
}

const toTicket = (token: string, expiresAt: number): Ticket => ({
  token: Redacted.make(token),
  expireAt: Math.floor(expiresAt / 1000)
})
