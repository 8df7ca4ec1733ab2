import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import { AgentFailure } from "../agent/AgentFailure.ts"
import type { Choice } from "../session/Controls.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * A sandbox as it is stored. `initializeResponse` and `sessionInfo` are the agent's answers to `initialize` and to
 * opening its session, the latter kept current.
 */
export interface SandboxRow {
  readonly taskId: TaskId
  /** The task's initial prompt. */
  readonly prompt: string
  /** The initial prompt is not run by the service: a client sends it with its attachments. */
  readonly held: boolean
  /** The agent's own name of the session. */
  readonly agentSessionId: string | undefined
  readonly initializeResponse: unknown
  readonly sessionInfo: unknown
  /** The modes, models and options that were chosen. */
  readonly choices: ReadonlyArray<Choice>
  /** The files of each turn are published at its end. */
  readonly postsFiles: boolean
  /** Why the agent never came up. */
  readonly failure: AgentFailure | undefined
}

/** The rows of sandboxes, their turns and permission requests. */
export class SandboxStore extends Context.Tag("@heddle/server/sandbox/journal/SandboxStore")<
  SandboxStore,
  {
    readonly insert: (task: {
      readonly taskId: TaskId
      readonly prompt: string
      readonly held: boolean
    }) => Effect.Effect<void>
    /** The deleted tasks of which something is left. */
    readonly ofDeletedTasks: Effect.Effect<ReadonlyArray<TaskId>>
    /** Deletes all rows that a task left, its tickets among them, but its journal. */
    readonly remove: (taskId: TaskId) => Effect.Effect<void>
    readonly get: (taskId: TaskId) => Effect.Effect<Option.Option<SandboxRow>>
    readonly saveAgent: (
      taskId: TaskId,
      agent: { readonly agentSessionId: string; readonly initializeResponse: unknown }
    ) => Effect.Effect<void>
    readonly saveChoices: (taskId: TaskId, session: Pick<SandboxRow, "choices" | "sessionInfo">) => Effect.Effect<void>
    readonly savePostsFiles: (taskId: TaskId, postsFiles: boolean) => Effect.Effect<void>
    readonly saveFailure: (taskId: TaskId, failure: AgentFailure) => Effect.Effect<void>
    readonly beginTurn: (turn: {
      readonly turnId: string
      readonly taskId: TaskId
      readonly messageId: string
    }) => Effect.Effect<void>
    /** Closes a turn; `stopReason` is one of the five of the protocol, or `error`. */
    readonly endTurn: (turnId: string, stopReason: string) => Effect.Effect<void>
    /** How many turns the task ever began. */
    readonly countTurns: (taskId: TaskId) => Effect.Effect<number>
    /** Turns without an end; when the task has no owner, its previous owner left them. */
    readonly openTurns: (taskId: TaskId) => Effect.Effect<ReadonlyArray<string>>
    readonly askPermission: (permission: {
      readonly permissionId: string
      readonly taskId: TaskId
      readonly params: string
    }) => Effect.Effect<void>
    /**
     * Records what became of a request: the chosen option, `cancelled`, `withdrawn`, `timed out` or `refused by
     * error`.
     */
    readonly closePermission: (permissionId: string, outcome: string) => Effect.Effect<void>
    /** Records every open request of a task as withdrawn: its agent is gone. */
    readonly withdrawPermissions: (taskId: TaskId) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<SandboxStore, never, SqlClient.SqlClient> = Layer.effect(
  SandboxStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      insert: Effect.fn("SandboxStore.insert")(function* ({ taskId, prompt, held }) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`INSERT INTO sandboxes (task_id, prompt, held, created_at)
          VALUES (${taskId}, ${prompt}, ${held ? 1 : 0}, ${now}) ON CONFLICT (task_id) DO NOTHING`
      }, Effect.orDie),

      ofDeletedTasks: sql<{ taskId: TaskId }>`SELECT task_id AS "taskId" FROM tasks JOIN sandboxes USING (task_id)
        WHERE status = 'deleted'`.pipe(
        Effect.map((rows) => rows.map(({ taskId }) => taskId)),
        Effect.orDie,
        Effect.withSpan("SandboxStore.ofDeletedTasks")
      ),

      remove: Effect.fn("SandboxStore.remove")(
        (taskId) =>
          Effect.forEach(
            ["sandbox_turns", "sandbox_permissions", "sandbox_artifacts", "tickets", "sandboxes"],
            (table) => sql`DELETE FROM ${sql(table)} WHERE task_id = ${taskId}`,
            { discard: true }
          ).pipe(sql.withTransaction),
        Effect.orDie
      ),

      get: Effect.fn("SandboxStore.get")(function* (taskId) {
        const rows = yield* sql<SandboxColumns>`SELECT prompt, held, agent_session_id AS "agentSessionId",
          agent_info AS "initializeResponse", session_info AS "sessionInfo", choices,
          posts_files AS "postsFiles", failure
          FROM sandboxes WHERE task_id = ${taskId}`
        return Option.map(Option.fromNullable(rows[0]), (row) => toRow(taskId, row))
      }, Effect.orDie),

      saveAgent: Effect.fn("SandboxStore.saveAgent")(
        (taskId, agent) => sql`UPDATE sandboxes SET agent_session_id = ${agent.agentSessionId},
          agent_info = ${json(agent.initializeResponse)}, failure = NULL WHERE task_id = ${taskId}`,
        Effect.orDie,
        Effect.asVoid
      ),

      saveChoices: Effect.fn("SandboxStore.saveChoices")(
        (taskId, { choices, sessionInfo }) => sql`UPDATE sandboxes SET session_info = ${json(sessionInfo)},
          choices = ${json(choices)} WHERE task_id = ${taskId}`,
        Effect.orDie,
        Effect.asVoid
      ),

      savePostsFiles: Effect.fn("SandboxStore.savePostsFiles")(
        (taskId, postsFiles) => sql`UPDATE sandboxes SET posts_files = ${postsFiles ? 1 : 0} WHERE task_id = ${taskId}`,
        Effect.orDie,
        Effect.asVoid
      ),

      saveFailure: Effect.fn("SandboxStore.saveFailure")(
        (taskId, failure) => sql`UPDATE sandboxes SET failure = ${encodeFailure(failure)} WHERE task_id = ${taskId}`,
        Effect.orDie,
        Effect.asVoid
      ),

      beginTurn: Effect.fn("SandboxStore.beginTurn")(function* ({ turnId, taskId, messageId }) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`INSERT INTO sandbox_turns (turn_id, task_id, message_id, started_at)
          VALUES (${turnId}, ${taskId}, ${messageId}, ${now})`
      }, Effect.orDie),

      endTurn: Effect.fn("SandboxStore.endTurn")(function* (turnId, stopReason) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`UPDATE sandbox_turns SET ended_at = ${now}, stop_reason = ${stopReason}
          WHERE turn_id = ${turnId} AND ended_at IS NULL`
      }, Effect.orDie),

      countTurns: Effect.fn("SandboxStore.countTurns")(function* (taskId) {
        const rows = yield* sql<{ total: number }>`SELECT COUNT(*) AS total FROM sandbox_turns
          WHERE task_id = ${taskId}`
        return rows[0]?.total ?? 0
      }, Effect.orDie),

      openTurns: Effect.fn("SandboxStore.openTurns")(function* (taskId) {
        const rows = yield* sql<{ turnId: string }>`SELECT turn_id AS "turnId" FROM sandbox_turns
          WHERE task_id = ${taskId} AND ended_at IS NULL ORDER BY started_at`
        return rows.map(({ turnId }) => turnId)
      }, Effect.orDie),

      askPermission: Effect.fn("SandboxStore.askPermission")(function* ({ permissionId, taskId, params }) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`INSERT INTO sandbox_permissions (permission_id, task_id, params, asked_at)
          VALUES (${permissionId}, ${taskId}, ${params}, ${now})`
      }, Effect.orDie),

      closePermission: Effect.fn("SandboxStore.closePermission")(function* (permissionId, outcome) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`UPDATE sandbox_permissions SET answered_at = ${now}, outcome = ${outcome}
          WHERE permission_id = ${permissionId} AND answered_at IS NULL`
      }, Effect.orDie),

      withdrawPermissions: Effect.fn("SandboxStore.withdrawPermissions")(function* (taskId) {
        const now = yield* Clock.currentTimeMillis
        yield* sql`UPDATE sandbox_permissions SET answered_at = ${now}, outcome = 'withdrawn'
          WHERE task_id = ${taskId} AND answered_at IS NULL`
      }, Effect.orDie)
    }
  })
)

interface SandboxColumns {
  readonly prompt: string
  readonly held: number
  readonly agentSessionId: string | null
  readonly initializeResponse: string | null
  readonly sessionInfo: string | null
  readonly choices: string | null
  readonly postsFiles: number
  readonly failure: string | null
}

const toRow = (taskId: TaskId, row: SandboxColumns): SandboxRow => ({
  taskId,
  prompt: row.prompt,
  held: row.held !== 0,
  agentSessionId: row.agentSessionId ?? undefined,
  initializeResponse: row.initializeResponse === null ? undefined : JSON.parse(row.initializeResponse),
  sessionInfo: row.sessionInfo === null ? undefined : JSON.parse(row.sessionInfo),
  choices: row.choices === null ? [] : JSON.parse(row.choices),
  postsFiles: row.postsFiles !== 0,
  failure: row.failure === null ? undefined : decodeFailure(row.failure)
})

const encodeFailure = Schema.encodeSync(Schema.parseJson(AgentFailure))

/** Earlier versions stored the words alone. */
const decodeFailure = (stored: string): AgentFailure =>
  Option.getOrElse(
    Schema.decodeOption(Schema.parseJson(AgentFailure))(stored),
    () => new AgentFailure({ reason: "refused", message: stored })
  )

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
