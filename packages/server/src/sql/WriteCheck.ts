import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { ServerConfig } from "../config/ServerConfig.ts"
import * as SqliteError from "./SqliteError.ts"

/**
 * Makes the check that writes a row as it is, and a file. It fails where the database or its disk takes no writes, as on a
 * full disk or a read-only one. On a full disk rows still fit into old space of the write-ahead log; a file does not.
 */
export const make: Effect.Effect<Effect.Effect<void, SqlError>, never, SqlClient.SqlClient | ServerConfig> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const { dataDir } = yield* ServerConfig
    const checkDisk = Effect.try({
      try: () => writeFile(Path.join(dataDir, "server.check")),
      catch: (cause) => new SqlError({ cause, message: "The disk takes no file" })
    })
    return Effect.zipRight(sql`UPDATE master_key SET fingerprint = fingerprint`, checkDisk)
  }
)

/** Whether an error says that the database or its disk takes no writes at the moment. */
export const isRefusal = (error: unknown): boolean =>
  /^(SQLITE_(BUSY|FULL|IOERR|READONLY)|(ENOSPC|EDQUOT|EFBIG|EROFS|EIO|EACCES|EPERM|EMFILE|ENFILE)$)/.test(
    SqliteError.codeOf(error)
  )

const writeFile = (file: string): void => {
  try {
    Fs.writeFileSync(file, content, { mode: 0o600 })
  } finally {
    Fs.rmSync(file, { force: true })
  }
}

/** Some bytes more than what a small file system gives without a new block. */
const content = Buffer.alloc(64 * 1024)
