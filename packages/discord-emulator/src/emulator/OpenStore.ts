import { folderSessions, memorySessions, type SessionStore } from "../gateway/SessionStore.ts"
import { timeOf } from "../model/Snowflake.ts"
import { dayMs } from "../settings/Clock.ts"
import type { Settings } from "../settings/Settings.ts"
import { isSeedIncomplete, seedChanges, setBotPermissions } from "../state/Seed.ts"
import { Store } from "../state/Store.ts"
import { openDataFolder } from "../storage/DataFolder.ts"
import { type Files, folderFiles, memoryFiles } from "../storage/Files.ts"
import { type Journal, memoryJournal, openJournal } from "../storage/Journal.ts"

/** The state of an emulator with its storage, in a data folder or in memory. */
export interface OpenedStore {
  readonly store: Store
  readonly journal: Journal
  readonly sessionStore: SessionStore
  readonly files: Files
  readonly close: () => void
}

/** Opens the data folder, or memory without one. Throws `SettingsError` when the folder cannot be used. */
export const openStore = (settings: Settings): OpenedStore => {
  const folder = settings.data === undefined ? undefined : openDataFolder(settings.data)
  try {
    const { history, journal } = folder === undefined ? memoryJournal() : openJournal(folder.path, settings.log)
    const files = folder === undefined ? memoryFiles() : folderFiles(folder.path)
    const sessionStore = folder === undefined ? memorySessions : folderSessions(folder.path)
    const seeded = isSeedIncomplete(history) ? seedChanges(settings) : history
    if (seeded !== history) journal.begin(seeded)
    const store = new Store(seeded, journal.append, settings.clock)
    setBotPermissions(store, settings)
    const compact = (): void => journal.compact(() => store.snapshot())
    compact()
    store.listen(compact)
    const isRecent = (id: string): boolean => settings.clock.now() - timeOf(id) < dayMs
    // Files of command options belong to no message: they are kept for a day.
    files.keepOnly((id) => store.messages.attachmentType(id) !== undefined || isRecent(id))
    const close = (): void => {
      journal.close()
      folder?.release()
    }
    return { store, journal, sessionStore, files, close }
  } catch (cause) {
    folder?.release()
    throw cause
  }
}
