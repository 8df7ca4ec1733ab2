import * as ArtifactPath from "./ArtifactPath.ts"
import { headBytes, type MediaFile } from "./MediaFile.ts"
import * as OwnFile from "./OwnFile.ts"
import { realpath, type FileHandle } from "node:fs/promises"
import { dirname } from "node:path"

/** Tells whether a file of the artifacts folder is the agent's plan: `plan.md` at the top, in any case. */
export const isPlan = (path: string): boolean => path.toLowerCase() === "plan.md"

/**
 * The text of a plan file from its first bytes; undefined for other files, binary files and longer texts.
 */
export const textOf = (path: string, file: MediaFile, head: Buffer): string | undefined =>
  isPlan(path) && file.size <= head.length ? decodeText(head) : undefined

/**
 * Reads an agent's plan file outside the artifacts folder; undefined unless it is a short text in the task's folder.
 */
export const read = async (folder: string, pathOrUri: string): Promise<string | undefined> => {
  const path = ArtifactPath.relativeToFolder([folder, await realpath(folder)], pathOrUri)
  // The plan of the artifacts folder is an artifact already.
  if (path === undefined || (path.startsWith("artifacts/") && isPlan(path.slice("artifacts/".length)))) return undefined
  const opened = await OwnFile.open(dirname(folder), folder, path)
  if (opened === undefined) return undefined
  const { file, stat } = opened
  try {
    if (stat.size > headBytes) return undefined
    const bytes = await readStart(file, headBytes + 1)
    return bytes.length > headBytes ? undefined : decodeText(bytes)
  } finally {
    await file.close()
  }
}

/** Reads at most `maxBytes` of a file, which may grow meanwhile. */
const readStart = async (file: FileHandle, maxBytes: number): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(maxBytes)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(bytes, length, maxBytes - length, length)
    length += bytesRead
    if (bytesRead === 0 || length === maxBytes) return bytes.subarray(0, length)
  }
}

/** Decodes UTF-8 text; undefined for binary data. */
const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}
