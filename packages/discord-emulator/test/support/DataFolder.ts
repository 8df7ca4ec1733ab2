import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"

/** A data folder that each test of a suite has for itself. */
export const dataFolder = () => {
  let path: string
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), "discord-emulator-"))
  })
  afterEach(() => rm(path, { recursive: true, force: true }))
  return {
    path: () => path,
    log: () => join(path, "events.jsonl"),
    start: (): Promise<Emulator> => startEmulator({ data: path, limits: "fast" })
  }
}
