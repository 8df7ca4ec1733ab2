import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BotSettings } from "../../model/BotSettings.ts"
import { DatabaseFile, fileName } from "./Database.ts"

/** New writes would be lost with the next start. */
export class StoreDown extends Data.TaggedError("StoreDown")<{ readonly reason: string }> {}

/** Checks whether the store keeps writes. */
export class StoreCheck extends Context.Tag("@heddle/bot/StoreCheck")<
  StoreCheck,
  {
    /** Writes a row and checks that the file of the next start contains it. */
    readonly check: Effect.Effect<void, StoreDown>
  }
>() {}

export const layer = (
  folder: string
): Layer.Layer<
  StoreCheck,
  never,
  BotSettings | DatabaseFile | SqlClient.SqlClient | FileSystem.FileSystem | Path.Path
> =>
  Layer.effect(
    StoreCheck,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const fs = yield* FileSystem.FileSystem
      const patience = Math.min(5000, (yield* BotSettings).stuckAfterMs)
      const openFile = yield* DatabaseFile
      const file = (yield* Path.Path).join(folder, fileName)
      const inode = Effect.map(fs.stat(file), ({ dev, ino }) => `${dev} ${Option.getOrElse(ino, () => 0)}`)
      // The database was opened just now.
      const opened = yield* Effect.orDie(inode)

      const sameFile = inode.pipe(
        Effect.mapError(() => new StoreDown({ reason: `${file} is gone or cannot be read` })),
        Effect.filterOrFail(
          (now) => now === opened,
          () => new StoreDown({ reason: `${file} was replaced while the bot runs; start the bot again` })
        )
      )
      const intact = Effect.zipRight(openFile.seek(0, "start"), openFile.readAlloc(magic.length)).pipe(
        Effect.mapError(() => new StoreDown({ reason: `${file} cannot be read` })),
        Effect.filterOrFail(
          (head) => Option.exists(head, (bytes) => Buffer.from(bytes).toString("latin1") === magic),
          () => new StoreDown({ reason: `${file} is damaged: it is no database any more` })
        )
      )
      const writable = sql`UPDATE store_check SET writes = writes + 1`.pipe(
        Effect.mapError(
          ({ cause }) =>
            new StoreDown({ reason: `nothing can be written (${cause instanceof Error ? cause.message : "unknown"})` })
        )
      )
      return StoreCheck.of({
        check: Effect.zipRight(sameFile, Effect.zipRight(intact, writable)).pipe(
          Effect.disconnect,
          Effect.timeoutFail({
            duration: patience,
            onTimeout: () => new StoreDown({ reason: `it is locked, or too slow to answer in ${patience} ms` })
          })
        )
      })
    })
  )

/** The header of a SQLite file. */
const magic = "SQLite format 3\0"
