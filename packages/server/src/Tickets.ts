import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Secret from "./internal/Secret.ts"
import { MasterKey } from "./MasterKey.ts"
import { ServerConfig } from "./ServerConfig.ts"

/** The credential is missing, unknown or expired. The caller asks the task for a new one (5.7). */
export class InvalidTicket extends Schema.TaggedError<InvalidTicket>()("InvalidTicket", {}) {}

/** The credential of one task's sandbox; `expireAt` is Unix time in seconds. */
export interface Ticket {
  readonly token: Redacted.Redacted
  readonly expireAt: number
}

/** Credentials for the sandbox of a task: its ACP channel and its artifacts, nothing else (5.7). */
export class Tickets extends Context.Tag("@heddle/server/Tickets")<
  Tickets,
  {
    /**
     * Gives the task's present ticket while more than a fifth of its life is left, else a new one.
     * Older tickets stay valid until they expire (decision 76).
     */
    readonly issue: (taskId: TaskId) => Effect.Effect<Ticket>
    /** The task that a ticket opens. */
    readonly verify: (token: Redacted.Redacted) => Effect.Effect<TaskId, InvalidTicket>
  }
>() {}

export const layer: Layer.Layer<Tickets, never, SqlClient.SqlClient | MasterKey | ServerConfig> = Layer.effect(
  Tickets,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const life = Duration.toMillis((yield* ServerConfig).ticketTtl)
    const key = (yield* MasterKey).derive("tickets")

    return {
      issue: Effect.fn("Tickets.issue")(function* (taskId) {
        const now = yield* Clock.currentTimeMillis
        const fresh = yield* sql<{ sealed: string; expiresAt: number }>`
          SELECT sealed, expires_at AS "expiresAt" FROM tickets
          WHERE task_id = ${taskId} AND (expires_at - ${now}) * 5 > expires_at - issued_at
          ORDER BY expires_at DESC LIMIT 1`
        const present = fresh[0] === undefined ? undefined : Secret.open(key, fresh[0].sealed)
        if (present !== undefined && fresh[0] !== undefined) return ticket(present, fresh[0].expiresAt)

        const token = Secret.generate("oa_tk_")
        const expiresAt = now + life
        yield* sql`DELETE FROM tickets WHERE task_id = ${taskId} AND expires_at <= ${now}`
        yield* sql`INSERT INTO tickets (token_hash, task_id, sealed, issued_at, expires_at)
          VALUES (${Secret.hash(token)}, ${taskId}, ${Secret.seal(key, token)}, ${now}, ${expiresAt})`
        return ticket(token, expiresAt)
      }, Effect.orDie),

      verify: Effect.fn("Tickets.verify")(function* (token) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sql<{ taskId: TaskId }>`SELECT task_id AS "taskId" FROM tickets
          WHERE token_hash = ${Secret.hash(Redacted.value(token))} AND expires_at > ${now}`.pipe(Effect.orDie)
        return rows[0] === undefined ? yield* new InvalidTicket() : rows[0].taskId
      })
    }
  })
)

const ticket = (token: string, expiresAt: number): Ticket => ({
  token: Redacted.make(token),
  expireAt: Math.floor(expiresAt / 1000)
})
