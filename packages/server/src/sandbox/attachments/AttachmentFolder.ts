import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { AgentFailure } from "../agent/AgentFailure.ts"
import * as OwnFolder from "../artifacts/OwnFolder.ts"
import * as Attachment from "./Attachment.ts"
import * as AttachmentName from "./AttachmentName.ts"

/** The folder of a task with the files that came with its prompts. */
export interface AttachmentFolder {
  /**
   * Stores files; all of them or none. A file that is there already, with the same name and bytes, is not written
   * again. Fails with words for the person who sent them.
   */
  readonly store: (
    attachments: ReadonlyArray<Attachment.Attachment>
  ) => Effect.Effect<ReadonlyArray<StoredFile>, AgentFailure>
}

/** A stored file. */
export interface StoredFile {
  readonly name: string
  /** Absolute, as the agent sees it too. */
  readonly path: string
  readonly size: number
}

/** The most that the folder of one task holds; `bytes` counts all files. */
export interface Limits {
  readonly files: number
  readonly bytes: number
}

/** The name of the folder in the task's folder. */
export const folderName = "attachments"

/** Makes the attachments of the task with this folder, which must be absolute. */
export const make = (taskFolder: string, limits: Limits): Effect.Effect<AttachmentFolder> =>
  Effect.map(Effect.makeSemaphore(1), (lock) => ({
    store: (attachments) =>
      attachments.length === 0
        ? Effect.succeed([])
        : Effect.tryPromise({
            try: () => storeAll(taskFolder, attachments, limits),
            catch: toFailure
          }).pipe(
            Effect.tapError((error) => Effect.logWarning("the files of a prompt were not stored", error.detail)),
            Effect.uninterruptible,
            lock.withPermits(1)
          )
  }))

const storeAll = async (
  taskFolder: string,
  attachments: ReadonlyArray<Attachment.Attachment>,
  limits: Limits
): Promise<ReadonlyArray<StoredFile>> => {
  const folder = await OwnFolder.open(taskFolder, [folderName], { create: true })
  if (folder === undefined) throw new Refused("blocked")
  const created: Array<string> = []
  try {
    const usage = await usageOf(folder, limits)
    const stored: Array<StoredFile> = []
    for (const attachment of attachments) {
      const bytes = Attachment.bytesOf(attachment)
      const { isNew, name } = await put(folder, AttachmentName.of(attachment), bytes, () => {
        usage.files += 1
        usage.bytes += bytes.length
        if (usage.files > limits.files || usage.bytes > limits.bytes) throw new Refused("full")
      })
      if (isNew) created.push(name)
      stored.push({ name, path: Path.join(taskFolder, folderName, name), size: bytes.length })
    }
    return stored
  } catch (error) {
    for (const name of created) await Fs.unlink(Path.join(folder.path, name)).catch(() => {})
    throw error
  } finally {
    await folder.close()
  }
}

/** Counts the files, and removes what a killed service left half-written. */
const usageOf = async ({ path }: OwnFolder.OwnFolder, limits: Limits): Promise<{ files: number; bytes: number }> => {
  const usage = { files: 0, bytes: 0 }
  for await (const { name } of await Fs.opendir(path)) {
    const file = Path.join(path, name)
    if (unfinishedName.test(name)) {
      await Fs.unlink(file).catch(() => {})
      continue
    }
    usage.files += 1
    if (usage.files > limits.files) break
    // Deleted meanwhile.
    usage.bytes += (await Fs.lstat(file).catch(() => undefined))?.size ?? 0
  }
  return usage
}

/** Puts bytes under the first free name; `reserve` runs before anything is written. */
const put = async (
  folder: OwnFolder.OwnFolder,
  name: string,
  bytes: Buffer,
  reserve: () => void
): Promise<{ readonly name: string; readonly isNew: boolean }> => {
  let number = 1
  for (; ; number++) {
    const existing = await compare(Path.join(folder.path, AttachmentName.withNumber(name, number)), bytes)
    if (existing === "same") return { name: AttachmentName.withNumber(name, number), isNew: false }
    if (existing === "none") break
  }
  reserve()
  const unfinished = Path.join(folder.path, `.${randomUUID()}.part`)
  try {
    await write(unfinished, bytes)
    for (; ; number++) {
      const free = AttachmentName.withNumber(name, number)
      if (await linkUnlessTaken(unfinished, Path.join(folder.path, free))) return { name: free, isNew: true }
    }
  } finally {
    await Fs.unlink(unfinished).catch(() => {})
  }
}

const write = async (path: string, bytes: Buffer): Promise<void> => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = await Fs.open(path, flags, 0o600)
  try {
    await file.writeFile(bytes)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Gives a file its name, as a rename that replaces nothing. */
const linkUnlessTaken = (from: string, to: string): Promise<boolean> =>
  Fs.link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false
      throw error
    }
  )

/** Compares what has this name with the bytes; a link counts as something else. */
const compare = async (path: string, bytes: Buffer): Promise<"same" | "other" | "none"> => {
  const file = await Fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "none" : "other")
  )
  if (typeof file === "string") return file === "none" ? "none" : "other"
  try {
    const stat = await file.stat()
    if (!stat.isFile() || stat.size !== bytes.length) return "other"
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes.length), 0, bytes.length, 0)
    return bytesRead === bytes.length && buffer.equals(bytes) ? "same" : "other"
  } finally {
    await file.close()
  }
}

/** Why the files were refused, where the system does not say it. */
class Refused extends Error {
  readonly reason: "full" | "blocked"
  constructor(reason: "full" | "blocked") {
    super(reason)
    this.reason = reason
  }
}

const toFailure = (error: unknown): AgentFailure => {
  const code = error instanceof Refused ? error.reason : error instanceof Error && "code" in error ? error.code : ""
  return new AgentFailure({
    reason: "attachments",
    message: `${problems.get(String(code)) ?? unknownProblem} Nothing was sent to the agent and nothing was charged.`,
    detail: String(code)
  })
}

const noSpace =
  "The service has no space left for the files of this message. Its operator has to free some; until then, send your message without them."

const problems: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", noSpace],
  ["EDQUOT", noSpace],
  [
    "full",
    `This task already has as many attached files as it may. Ask the agent to delete some of the folder "${folderName}", or start a new task.`
  ],
  [
    "blocked",
    `The files of this message could not be stored, because something else than a folder has the name "${folderName}" in the task's folder. Ask the agent to rename it.`
  ]
])

const unknownProblem = "The files of this message could not be stored."

const unfinishedName = /^\.[0-9a-f-]{36}\.part$/
