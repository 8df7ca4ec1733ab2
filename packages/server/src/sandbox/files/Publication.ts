import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ArtifactPath from "../artifacts/ArtifactPath.ts"
import * as OwnFile from "../artifacts/OwnFile.ts"
import * as OwnFolder from "../artifacts/OwnFolder.ts"
import * as OfferedNames from "./OfferedNames.ts"

/** What became of the request to publish one file. */
export type Published =
  | { readonly path: string; readonly uri: string }
  /** `gone`: there is no such file any more, or it is no plain file of the task. */
  | { readonly path: string; readonly problem: "gone" | "too large" | "failed" }

/**
 * Copies files of a task into its artifacts as `files/PATH`, in their order; earlier copies are replaced. The dot of a
 * hidden name becomes `dot_`. Once the copies of one call have {@link maxTotalBytes}, the others are too large.
 */
export const publish = (taskFolder: string, paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Published>> =>
  Effect.suspend(() => {
    const budget = { bytes: maxTotalBytes }
    return Effect.forEach(paths, (path) =>
      copying.withPermits(1)(
        Effect.tryPromise((signal) => copy(taskFolder, path, budget, signal)).pipe(
          Effect.catchAll(({ error }) =>
            Effect.as(Effect.logWarning("a file of a task was not published", error), {
              path,
              problem: "failed" as const
            })
          )
        )
      )
    )
  })

/** The tasks of this process copy so many files at once; the others wait. */
const copying = Effect.unsafeMakeSemaphore(2)

const copy = async (
  taskFolder: string,
  path: string,
  budget: { bytes: number },
  signal: AbortSignal
): Promise<Published> => {
  const parts = path.split("/")
  if (!parts.every(OfferedNames.isOffered)) return { path, problem: "gone" }
  const source = await OwnFile.open(Path.dirname(taskFolder), taskFolder, path)
  if (source === undefined) return { path, problem: "gone" }
  try {
    const size = Number(source.stat.size)
    if (size > Math.min(maxBytes, budget.bytes)) return { path, problem: "too large" }
    const shown = ["files", ...parts.map(OfferedNames.visible)]
    const target = await OwnFolder.open(taskFolder, ["artifacts", ...shown.slice(0, -1)], { create: true })
    if (target === undefined) return { path, problem: "failed" }
    try {
      budget.bytes -= size
      await copyInto(source, size, target.path, shown.at(-1) ?? "", signal)
    } finally {
      await target.close()
    }
    return { path, uri: ArtifactPath.toUri(shown.join("/")) }
  } finally {
    await source.file.close()
  }
}

/** Writes under a hidden name first, so that no half of a file is shown. */
const copyInto = async (
  { file }: OwnFile.OwnFile,
  size: number,
  folder: string,
  name: string,
  signal: AbortSignal
): Promise<void> => {
  const unfinished = Path.join(folder, `.${randomUUID()}.part`)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const output = await Fs.open(unfinished, flags, 0o600)
  try {
    const buffer = Buffer.alloc(Math.min(size, chunkBytes))
    for (let position = 0; position < size;) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - position), position)
      if (bytesRead === 0) break
      await output.writeFile(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
    await Fs.rename(unfinished, Path.join(folder, name))
  } catch (error) {
    await Fs.unlink(unfinished).catch(() => {})
    throw error
  } finally {
    await output.close()
  }
}

const chunkBytes = 1024 * 1024

/** A larger file stays where it is. */
const maxBytes = 256 * 1024 * 1024

/** As much as the attachments of a task may have. */
const maxTotalBytes = 512 * 1024 * 1024
