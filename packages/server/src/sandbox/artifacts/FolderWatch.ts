import { watch, type FSWatcher } from "node:fs"

/** Watches single folders for changes. */
export interface FolderWatch {
  /** Watches a folder; `identity` tells it from a later folder at the same path. */
  readonly enter: (folder: string, identity: string) => void
  /** Stops watching all other folders. */
  readonly retainOnly: (folders: ReadonlySet<string>) => void
  /** Some folder cannot be watched, so only scans find its changes. */
  readonly hasUnwatchedFolders: () => boolean
  readonly close: () => void
}

/**
 * Makes a watch that calls `onChange` for every change in its folders. It watches each folder separately: for a
 * recursive watch Node walks the whole tree and uses a system watch per file.
 */
export const make = (onChange: () => void): FolderWatch => {
  const watchers = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>()
  let hasUnwatched = false
  const unwatch = (folder: string) => {
    watchers.get(folder)?.watcher.close()
    watchers.delete(folder)
  }

  return {
    enter: (folder, identity) => {
      if (watchers.get(folder)?.identity === identity) return
      unwatch(folder)
      if (watchers.size >= maxFolders) {
        hasUnwatched = true
        return
      }
      try {
        const watcher = watch(folder, { persistent: false }, onChange)
        watchers.set(folder, { identity, watcher })
        watcher.on("error", () => {
          unwatch(folder)
          hasUnwatched = true
        })
      } catch {
        // Deleted already, or the system has no watch left.
        hasUnwatched = true
      }
    },
    retainOnly: (folders) => {
      for (const folder of watchers.keys()) if (!folders.has(folder)) unwatch(folder)
      hasUnwatched = watchers.size < folders.size
    },
    hasUnwatchedFolders: () => hasUnwatched || watchers.size === 0,
    close: () => {
      for (const folder of watchers.keys()) unwatch(folder)
    }
  }
}

const maxFolders = 256
