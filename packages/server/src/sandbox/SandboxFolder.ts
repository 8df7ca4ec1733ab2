import * as Effect from "effect/Effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** The folder of a sandbox with the files for people. */
export const artifacts = (folder: string): string => Path.join(folder, "artifacts")

/** Creates the folders of a sandbox, for this user only. */
export const prepare = (folder: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await Fs.mkdir(folder, { recursive: true, mode: 0o700 })
    for (const path of [artifacts(folder), Path.join(folder, ".tmp")]) {
      // The agent may have put a file in the folder's place; that harms only the agent's own work.
      await Fs.mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error
      })
    }
  })
