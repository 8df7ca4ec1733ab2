import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { afterAll } from "vitest"
import type { RecordedDispatch, RecordedRequest } from "@heddle/discord-emulator"

const seen: Array<RecordedRequest> = []
const see = (exchange: unknown): unknown => seen.push(exchange as RecordedRequest)
subscribe("discord-emulator:request", see)
const told: Array<RecordedDispatch> = []
const tell = (dispatched: unknown): unknown => told.push(dispatched as RecordedDispatch)
subscribe("discord-emulator:dispatch", tell)

// Programs that a test starts write down what they would tell.
const file = join(tmpdir(), `discord-exchanges-${process.pid}-${randomUUID()}.jsonl`)
process.env["HEDDLE_RECORD"] = file

const readPrograms = (): void => {
  if (!existsSync(file)) return
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1)
  rmSync(file)
  for (const line of lines) {
    const { kind, told: what } = JSON.parse(line) as { readonly kind: string; readonly told: unknown }
    if (kind === "request") see(what)
    else tell(what)
  }
}

// Every file that talked to an emulator answers to Discord's own description.
afterAll(async () => {
  unsubscribe("discord-emulator:request", see)
  unsubscribe("discord-emulator:dispatch", tell)
  readPrograms()
  if (seen.length + told.length === 0) return
  const { judge, judgeDispatch } = await import("./Oracle.ts")
  const found = new Map<string, number>()
  for (const { at, message, operation } of [
    ...seen.splice(0).flatMap(judge),
    ...told.splice(0).flatMap(judgeDispatch)
  ]) {
    const line = `${operation} ${at}: ${message}`
    found.set(line, (found.get(line) ?? 0) + 1)
  }
  if (found.size === 0) return
  const lines = [...found].map(([line, times]) => `${line} (${times} times)`)
  throw new Error(`Discord's description does not agree:\n${lines.join("\n")}`)
})
