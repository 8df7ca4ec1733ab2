/** The build writes this library into this file, because its own driver needs a compiler or a download. */
export * from "@effect/sql-sqlite-node/SqliteClient"
