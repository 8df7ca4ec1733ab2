import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as AuditLog from "@heddle/bot/store/AuditLog"
import * as GuildSettings from "@heddle/bot/store/GuildSettings"
import { migrations } from "@heddle/bot/store/migrations/index"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

describe("the defaults of new tasks", () => {
  it.effect("that were set before options had any are kept and can be changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrations["0001_initial"]
      yield* migrations["0002_agents"]
      yield* migrations["0003_request_places"]
      const places = [
        { channel_id: "", agent: "codex", mode: "plan", model: null },
        { channel_id: "7", agent: null, mode: null, model: null }
      ]
      yield* sql`INSERT INTO agent_defaults ${sql.insert(places.map((place) => ({ guild_id: "1", ...place })))}`
      yield* sql`INSERT INTO task_agents ${sql.insert({ task_id: "t", agent: "codex" })}`
      yield* migrations["0004_agent_defaults"]
      const settings = yield* GuildSettings.GuildSettings
      const server = { channelId: undefined, forAgent: undefined, agent: "codex", mode: "plan", model: undefined }
      assert.deepStrictEqual(yield* settings.agentDefaults("1"), [{ ...server, options: {} }])
      const change = { ...server, agent: undefined, mode: null, options: { effort: "high" } }
      yield* settings.setAgentDefaults("1", change, { eventId: "2", userId: "3", at: 0 })
      const changed = [{ ...server, mode: undefined, options: { effort: "high" } }]
      assert.deepStrictEqual(yield* settings.agentDefaultsFor("1", { channelId: "7", agent: "codex" }), changed)
    }).pipe(Effect.provide(layer))
  )
})

const layer = Layer.suspend(() => GuildSettings.layer.pipe(Layer.provide(AuditLog.layer), Layer.provideMerge(sqlite)))

const sqlite = SqliteClient.layer({ filename: ":memory:" })
