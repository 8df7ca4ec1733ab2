import * as ArtifactPath from "./ArtifactPath.ts"
import { headBytes, type MediaFile } from "./MediaFile.ts"
import * as OwnFile from "./OwnFile.ts"
import { realpath, type FileHandle } from "node:fs/promises"
import { dirname } from "node:path"

/** The file of the artifacts folder that is an agent's plan: `plan.md` right in it, however it is capitalised. */
export const isPlan = (path: string): boolean => path.toLowerCase() === "plan.md"

/**
 * The text of a plan file, from what was read of it; undefined for every other file, and for one that is no short
 * text.
 */
export const textOf = (path: string, file: MediaFile, head: Buffer): string | undefined =>
  isPlan(path) && file.size <= head.length ? textIn(head) : undefined

/**
 * Reads a plan that an agent keeps in a file of its own; undefined unless that is a short text in the task's folder.
 */
export const read = async (folder: string, named: string): Promise<string | undefined> => {
  const path = ArtifactPath.below([folder, await realpath(folder)], named)
  // That one is an artifact already.
  if (path === undefined || (path.startsWith("artifacts/") && isPlan(path.slice("artifacts/".length)))) return undefined
  const opened = await OwnFile.open(dirname(folder), folder, path)
  if (opened === undefined) return undefined
  const { file, stat } = opened
  try {
    if (stat.size > headBytes) return undefined
    const bytes = await start(file, headBytes + 1)
    return bytes.length > headBytes ? undefined : textIn(bytes)
  } finally {
    await file.close()
  }
}

/** Reads the beginning of a file, and no more of it however much it grows meanwhile. */
const start = async (file: FileHandle, most: number): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(most)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, most - length, length)
    length += bytesRead
    if (bytesRead === 0 || length === most) return bytes.subarray(0, length)
  }
}

/** The text that the bytes are, also an empty one; undefined when they are none. */
const textIn = (bytes: Uint8Array): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
