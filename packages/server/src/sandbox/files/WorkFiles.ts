import * as Effect from "effect/Effect"
import type { BigIntStats } from "node:fs"
import * as Path from "node:path"
import * as FolderWalk from "../artifacts/FolderWalk.ts"
import * as OwnFile from "../artifacts/OwnFile.ts"
import { folderName as attachments } from "../attachments/AttachmentFolder.ts"
import * as OfferedNames from "./OfferedNames.ts"

/** The files of a task outside of its artifacts, and what a turn did to them. */
export interface WorkFiles {
  /** Notes the files before a turn; the first time it reads the folder. */
  readonly beginTurn: Effect.Effect<void>
  /** Notes files that the service itself wrote, by their paths in the folder. */
  readonly accept: (paths: ReadonlyArray<string>) => Effect.Effect<void>
  /** Reports what was created or changed since `beginTurn`; nothing where reading takes too long. Never fails. */
  readonly endTurn: Effect.Effect<ChangedFiles>
}

/** The files that a turn created or changed. */
export interface ChangedFiles {
  /** At most {@link maxNamed}, those in the outer folders first, and of them the newest. */
  readonly files: ReadonlyArray<ChangedFile>
  /** How many others there are. */
  readonly more: number
  /** Not all folders were looked at, so there may be further ones. */
  readonly partial?: true
}

/** A file that was created or changed; `path` is relative to the task's folder, with `/` between its parts. */
export interface ChangedFile {
  readonly path: string
  readonly size: number
  readonly change: "created" | "changed"
}

export const none: ChangedFiles = { files: [], more: 0 }

/** The most files that are named at the end of a turn. */
export const maxNamed = 25

/** Makes the work files of the task with this folder. */
export const make = (taskFolder: string): WorkFiles => {
  let known: Snapshot | undefined
  return {
    beginTurn: Effect.suspend(() =>
      known === undefined
        ? Effect.map(read(taskFolder), (folder) => {
            known = folder?.snapshot
          })
        : Effect.void
    ),
    accept: (paths) =>
      Effect.promise(async () => {
        for (const [path, stat] of await FolderWalk.filesOf(taskFolder, paths)) known?.stamps.set(path, stampOf(stat))
      }),
    endTurn: Effect.suspend(() => {
      const before = known
      return Effect.flatMap(read(taskFolder), (after) => {
        known = after?.snapshot
        return before === undefined || after === undefined
          ? Effect.succeed(none)
          : Effect.map(
              Effect.promise(() => nameFiles(taskFolder, compare(before, after))),
              (named): ChangedFiles => (after.isPartial ? { ...named, partial: true } : named)
            )
      })
    })
  }
}

/** The files of the folder at one moment. */
interface Snapshot {
  readonly at: number
  readonly stamps: Map<string, string>
  readonly isComplete: boolean
}

interface Folder {
  readonly snapshot: Snapshot
  /** The folder has more than the limits. */
  readonly isPartial: boolean
  readonly stats: ReadonlyMap<string, BigIntStats>
}

const read = (taskFolder: string): Effect.Effect<Folder | undefined> =>
  Effect.tryPromise(async () => {
    const at = Date.now()
    const walked = await FolderWalk.walk(taskFolder, limits, () => {}, { shows: OfferedNames.isOffered, skips })
    const stamps = new Map([...walked.files].map(([path, stat]) => [path, stampOf(stat)]))
    const isPartial = walked.isOverfull || walked.omitted.has("deep")
    return { snapshot: { at, stamps, isComplete: walked.isComplete }, stats: walked.files, isPartial }
  }).pipe(
    Effect.timeout("5 seconds"),
    Effect.catchAll((error) => Effect.as(Effect.logDebug("the files of a task were not read", error), undefined))
  )

interface DatedFile {
  readonly file: ChangedFile
  readonly modified: bigint
}

const compare = (before: Snapshot, { stats }: Folder): ReadonlyArray<DatedFile> =>
  [...stats].flatMap(([path, stat]) => {
    const change = changeOf(before, before.stamps.get(path), stat)
    // A new file there is something that a person has already.
    const isKnown = change === undefined || (change === "created" && path.startsWith(`${attachments}/`))
    return isKnown ? [] : [{ file: { path, size: Number(stat.size), change }, modified: stat.mtimeNs }]
  })

/** Where the folder was above the limits it is known in part; then the times of a file decide. */
const changeOf = (
  { at, isComplete }: Snapshot,
  stamp: string | undefined,
  stat: BigIntStats
): ChangedFile["change"] | undefined => {
  if (stamp !== undefined) return stamp === stampOf(stat) ? undefined : "changed"
  if (isComplete) return "created"
  if (stat.ctimeMs < at) return undefined
  return stat.birthtimeMs >= at ? "created" : "changed"
}

/** Names the outermost files, of those the newest, in the order of their paths; those that a link leads to are left out. */
const nameFiles = async (taskFolder: string, changed: ReadonlyArray<DatedFile>): Promise<ChangedFiles> => {
  const sorted = changed.toSorted((a, b) => depthOf(a.file) - depthOf(b.file) || Number(b.modified - a.modified))
  const files: Array<ChangedFile> = []
  let seen = 0
  for (const { file } of sorted) {
    if (files.length === maxNamed) break
    seen += 1
    const opened = await OwnFile.open(Path.dirname(taskFolder), taskFolder, file.path)
    if (opened === undefined) continue
    files.push(file)
    await opened.file.close()
  }
  files.sort((a, b) => depthOf(a) - depthOf(b) || (a.path < b.path ? -1 : 1))
  return { files, more: sorted.length - seen }
}

const depthOf = ({ path }: ChangedFile): number => path.split("/").length

const stampOf = ({ ino, mtimeNs, size }: BigIntStats): string => `${ino} ${size} ${mtimeNs}`

/** Folders of the service, and caches and dependencies of package managers. */
const skips = (path: string): boolean => path === "artifacts" || skippedNames.has(Path.basename(path))

const skippedNames: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  "jspm_packages",
  "site-packages",
  "__pycache__",
  "venv",
  "virtualenv",
  "target",
  "cache"
])

const limits: FolderWalk.Limits = { files: 10_000, names: 20_000, depth: 20 }
