import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import { watch } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as MediaFile from "./MediaFile.ts"

/** A file that appeared, changed or went; `path` is relative to the folder, with `/` between its parts. */
export type Change =
  | { readonly _tag: "Written"; readonly path: string; readonly file: MediaFile.MediaFile }
  | { readonly _tag: "Gone"; readonly path: string }

/** The folder in which an agent leaves files for people. */
export interface ArtifactFolder {
  /** Compares the folder with what was known and reports every change once; scans never overlap. */
  readonly scan: Effect.Effect<void>
  /** Has the folder scanned soon, without waiting for it. */
  readonly touch: () => void
  /** Has the folder scanned whenever something changes in it, until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>
}

/**
 * Makes the view of a folder. `known` maps the paths of files that were reported before to their md5.
 * Symbolic links, other things that are no regular files, and hidden names are left out.
 */
export const make = Effect.fn("ArtifactFolder.make")(function* (
  root: string,
  known: ReadonlyMap<string, string>,
  report: (changes: ReadonlyArray<Change>) => void
): Effect.fn.Return<ArtifactFolder, never, Scope.Scope> {
  const seen = new Map<string, Seen>([...known].map(([path, md5]) => [path, { stamp: "", md5 }]))
  const one = yield* Effect.makeSemaphore(1)
  const touched = yield* Mailbox.make<true>({ capacity: 1, strategy: "dropping" })

  const scan = one.withPermits(1)(
    Effect.tryPromise(() => compare(root, seen)).pipe(
      Effect.map((changes) => {
        if (changes.length > 0) report(changes)
      }),
      // The folder may be changing under the walk; the next scan sees what this one missed.
      Effect.catchAll((error) => Effect.logDebug("a scan of the artifacts folder failed", error.error))
    )
  )
  const touch = () => {
    touched.unsafeOffer(true)
  }

  yield* touched.take.pipe(
    Effect.andThen(Effect.sleep("100 millis")),
    Effect.andThen(scan),
    Effect.forever,
    // Only an ended mailbox fails, and this one ends with the scope.
    Effect.catchAll(() => Effect.void),
    Effect.forkScoped
  )
  const watching = Effect.acquireRelease(
    Effect.sync(() => {
      touch()
      const watcher = watch(root, { recursive: true }, touch)
      // A lost watch costs promptness only: every tool call and every end of a turn scans as well.
      watcher.on("error", () => watcher.close())
      return watcher
    }),
    (watcher) => Effect.sync(() => watcher.close())
  ).pipe(
    Effect.asVoid,
    Effect.catchAllDefect((defect) => Effect.logWarning("the artifacts folder cannot be watched", defect))
  )

  return { scan, touch, watch: watching }
})

interface Seen {
  readonly stamp: string
  readonly md5: string
}

const compare = async (root: string, seen: Map<string, Seen>): Promise<ReadonlyArray<Change>> => {
  const changes: Array<Change> = []
  const found = await walk(root, "", 0)
  for (const [path, stamp] of found) {
    const before = seen.get(path)
    if (before?.stamp === stamp) continue
    const file = await MediaFile.describe(root, path).catch(() => undefined)
    // Gone or unreadable since the walk: what is true of it, the next scan tells.
    if (file === undefined) continue
    seen.set(path, { stamp, md5: file.md5 })
    if (before?.md5 !== file.md5) changes.push({ _tag: "Written", path, file })
  }
  for (const path of seen.keys()) {
    if (found.has(path)) continue
    seen.delete(path)
    changes.push({ _tag: "Gone", path })
  }
  return changes
}

const walk = async (root: string, under: string, depth: number): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  const folder = Path.join(root, under)
  if (depth > maxDepth || !(await statOf(folder))?.isDirectory()) return found
  for (const entry of await Fs.readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || found.size >= maxFiles) continue
    const path = under === "" ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) {
      for (const [inner, stamp] of await walk(root, path, depth + 1)) found.set(inner, stamp)
    } else if (entry.isFile()) {
      const stat = await statOf(Path.join(root, path))
      if (stat?.isFile()) found.set(path, `${stat.size} ${stat.mtimeMs} ${stat.ino}`)
    }
  }
  return found
}

/** What stands at a path itself, undefined when it has gone meanwhile. */
const statOf = (path: string) => Fs.lstat(path).catch(() => undefined)

const maxDepth = 8
const maxFiles = 5000
