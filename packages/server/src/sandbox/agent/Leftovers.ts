import * as Effect from "effect/Effect"
import * as FolderRemoval from "../files/FolderRemoval.ts"
import * as OwnFolder from "../artifacts/OwnFolder.ts"

/**
 * Removes the caches and temporary files that an agent left in its HOME; links are not followed. Tasks share no cache,
 * because one task could put code into it for another. What takes too long stays for the next time.
 */
export const remove = (home: string): Effect.Effect<void> =>
  Effect.tryPromise(async (signal) => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(limitMillis)])
    for (const path of folders) await removeFolder(home, path, deadline)
  }).pipe(
    Effect.catchAll(({ error }) => Effect.logDebug("not all caches of an agent were removed", error)),
    Effect.andThen(Effect.tryPromise(() => makeTemporary(home))),
    Effect.ignore
  )

const removeFolder = async (home: string, path: ReadonlyArray<string>, signal: AbortSignal): Promise<void> => {
  const folder = await OwnFolder.open(home, path.slice(0, -1), { create: false })
  if (folder === undefined) return
  try {
    await FolderRemoval.remove(folder, path.at(-1) ?? "", signal)
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

/** The next agent of the task waits for it. */
const limitMillis = 20_000
