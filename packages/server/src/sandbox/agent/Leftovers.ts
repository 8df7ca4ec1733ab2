import * as Effect from "effect/Effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as OwnFolder from "../artifacts/OwnFolder.ts"

/**
 * Removes the caches and temporary files that an agent left in its HOME; links are not followed. Tasks share no cache,
 * because one task could put code into it for another.
 */
export const remove = (home: string): Effect.Effect<void> =>
  Effect.forEach(
    folders,
    (path) =>
      Effect.tryPromise(() => removeFolder(home, path)).pipe(
        Effect.catchAll(({ error }) => Effect.logDebug(`${path.join("/")} of an agent was not removed`, error))
      ),
    { discard: true }
  ).pipe(Effect.andThen(Effect.tryPromise(() => makeTemporary(home))), Effect.ignore)

const removeFolder = async (home: string, path: ReadonlyArray<string>): Promise<void> => {
  const folder = await OwnFolder.open(home, path.slice(0, -1), { create: false })
  if (folder === undefined) return
  try {
    await Fs.rm(Path.join(folder.path, path.at(-1) ?? ""), { recursive: true, force: true })
  } finally {
    await folder.close()
  }
}

/** The next agent needs its TMPDIR. */
const makeTemporary = async (home: string): Promise<void> => {
  const folder = await OwnFolder.open(home, [temporary], { create: true })
  await folder?.close()
}

const temporary = ".tmp"

/** What the package managers and agents that are known can fetch again. */
const folders: ReadonlyArray<ReadonlyArray<string>> = [
  [".cache"],
  [".npm", "_cacache"],
  [".npm", "_logs"],
  [".bun", "install", "cache"],
  [".cargo", "registry"],
  [".gradle", "caches"],
  [temporary]
]
