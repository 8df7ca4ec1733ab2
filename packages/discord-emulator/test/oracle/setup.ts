import { randomUUID } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { channel, subscribe, unsubscribe } from "node:diagnostics_channel"
import { afterAll } from "vitest"
import type { RecordedDispatch, RecordedRequest } from "@heddle/discord-emulator"

// Node 20 can lose a channel that is collected between two test files and made again (nodejs/node#59910).
const kept = globalThis as { recordedChannels?: ReadonlyArray<unknown> }
kept.recordedChannels ??= [channel("discord-emulator:request"), channel("discord-emulator:dispatch")]

const requests: Array<RecordedRequest> = []
const recordRequest = (exchange: unknown): unknown => requests.push(exchange as RecordedRequest)
subscribe("discord-emulator:request", recordRequest)
const dispatches: Array<RecordedDispatch> = []
const recordDispatch = (dispatched: unknown): unknown => dispatches.push(dispatched as RecordedDispatch)
subscribe("discord-emulator:dispatch", recordDispatch)

// Each program that a test starts records to a file of this folder.
const folder = join(tmpdir(), `discord-exchanges-${process.pid}-${randomUUID()}`)
process.env["HEDDLE_RECORD"] = join(folder, "program")
mkdirSync(folder)

const readPrograms = (): void => {
  for (const name of readdirSync(folder)) {
    // Without its last line, which a kill may have cut.
    const lines = readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1)
    for (const line of lines) {
      const { kind, record } = JSON.parse(line) as { readonly kind: string; readonly record: unknown }
      if (kind === "request") recordRequest(record)
      else recordDispatch(record)
    }
  }
  rmSync(folder, { recursive: true })
}

// Checks the exchanges of each test file against Discord's own description.
afterAll(async () => {
  unsubscribe("discord-emulator:request", recordRequest)
  unsubscribe("discord-emulator:dispatch", recordDispatch)
  readPrograms()
  if (requests.length + dispatches.length === 0) return
  const { judge, judgeDispatch } = await import("./Oracle.ts")
  const found = new Map<string, number>()
  for (const { at, message, operation } of [
    ...requests.splice(0).flatMap(judge),
    ...dispatches.splice(0).flatMap(judgeDispatch)
  ]) {
    const line = `${operation} ${at}: ${message}`
    found.set(line, (found.get(line) ?? 0) + 1)
  }
  if (found.size === 0) return
  const lines = [...found].map(([line, times]) => `${line} (${times} times)`)
  throw new Error(`Discord's description does not agree:\n${lines.join("\n")}`)
})
