import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** Every page of a session's artifacts tells how many there are: that is counted in an index, without reading artifacts. */
export const artifactCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX sandbox_artifacts_count ON sandbox_artifacts (task_id, event, type, updated_at)`
})
