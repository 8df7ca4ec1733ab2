import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/** A question is known by whom it is for, what it is about and its own id: programs of different users choose ids alike. */
export const questionsByUser = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})

const columns = `request_id, message_id, about, client_id, user_id, assistant_id, instance, answerable, questions, state,
  answer`

const statements = [
  `ALTER TABLE assistant_questions RENAME TO assistant_questions_before`,
  `DROP INDEX assistant_questions_about`,
  `CREATE TABLE assistant_questions (
    request_id TEXT NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    about TEXT NOT NULL,
    client_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    assistant_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    answerable INTEGER NOT NULL,
    questions TEXT NOT NULL,
    state TEXT NOT NULL,
    answer TEXT,
    PRIMARY KEY (user_id, about, request_id)
  )`,
  `INSERT INTO assistant_questions (${columns}) SELECT ${columns} FROM assistant_questions_before`,
  `DROP TABLE assistant_questions_before`,
  `CREATE INDEX assistant_questions_about ON assistant_questions (about, state)`,
  `CREATE INDEX assistant_questions_request ON assistant_questions (user_id, request_id)`
]
