import { subscribe } from "node:diagnostics_channel"
import { afterAll } from "vitest"
import type { Dispatched, Exchange } from "@heddle/discord-emulator"

const seen: Array<Exchange> = []
subscribe("discord-emulator:exchange", (exchange) => seen.push(exchange as Exchange))
const told: Array<Dispatched> = []
subscribe("discord-emulator:dispatch", (dispatched) => told.push(dispatched as Dispatched))

// Every file that talked to an emulator answers to Discord's own description.
afterAll(async () => {
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
