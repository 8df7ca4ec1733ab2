import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isSnowflake } from "../model/Snowflake.ts"

/** The bytes of attachments by attachment id. The file names of users never become paths. */
export interface Files {
  readonly put: (id: string, bytes: Uint8Array) => void
  readonly get: (id: string) => Uint8Array | undefined
  /** Removes every file for which `isKept` is false. */
  readonly keepOnly: (isKept: (id: string) => boolean) => void
}

/** Keeps files for as long as the process runs. */
export const memoryFiles = (): Files => {
  const files = new Map<string, Uint8Array>()
  return {
    put: (id, bytes) => void files.set(id, bytes),
    get: (id) => files.get(id),
    keepOnly: (isKept) => {
      for (const id of files.keys()) if (!isKept(id)) files.delete(id)
    }
  }
}

/** Keeps each file as `attachments/<id>` in a data folder. */
export const folderFiles = (folder: string): Files => {
  const pathOf = (id: string): string => join(folder, "attachments", id)
  return {
    put: (id, bytes) => writeFileSync(pathOf(id), bytes, { mode: 0o600 }),
    get: (id) => {
      if (!isSnowflake(id)) return undefined
      try {
        return readFileSync(pathOf(id))
      } catch (cause) {
        if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
        throw cause
      }
    },
    keepOnly: (isKept) => {
      for (const id of readdirSync(join(folder, "attachments"))) if (isSnowflake(id) && !isKept(id)) rmSync(pathOf(id))
    }
  }
}
