import { watch, type FSWatcher } from "node:fs"

/** Hears of changes in folders that are named to it one by one. */
export interface FolderWatch {
  /** Watches a folder from now on; `identity` tells it from another one that takes its place later. */
  readonly enter: (folder: string, identity: string) => void
  /** Watches no other folders than these any longer. */
  readonly keep: (folders: ReadonlySet<string>) => void
  /** Some folder could not be watched: only looking tells what changes in it. */
  readonly isBlind: () => boolean
  readonly close: () => void
}

/**
 * Makes a watch that calls `changed` for everything that happens in its folders. Each folder is watched by itself:
 * watching a tree as one has Node walk all of it at once, and takes a watch of the system per file.
 */
export const make = (changed: () => void): FolderWatch => {
  const watched = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>()
  let blind = false
  const drop = (folder: string) => {
    watched.get(folder)?.watcher.close()
    watched.delete(folder)
  }

  return {
    enter: (folder, identity) => {
      if (watched.get(folder)?.identity === identity) return
      drop(folder)
      if (watched.size >= maxFolders) {
        blind = true
        return
      }
      try {
        const watcher = watch(folder, { persistent: false }, changed)
        watched.set(folder, { identity, watcher })
        watcher.on("error", () => {
          drop(folder)
          blind = true
        })
      } catch {
        // Gone already, or the system has no watch left.
        blind = true
      }
    },
    keep: (folders) => {
      for (const folder of watched.keys()) if (!folders.has(folder)) drop(folder)
      blind = watched.size < folders.size
    },
    isBlind: () => blind || watched.size === 0,
    close: () => {
      for (const folder of watched.keys()) drop(folder)
    }
  }
}

const maxFolders = 256
