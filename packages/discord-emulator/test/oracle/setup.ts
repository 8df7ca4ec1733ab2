import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { afterAll } from "vitest"
import type { Dispatched, Exchange } from "@heddle/discord-emulator"

const seen: Array<Exchange> = []
const see = (exchange: unknown): unknown => seen.push(exchange as Exchange)
subscribe("discord-emulator:exchange", see)
const told: Array<Dispatched> = []
const tell = (dispatched: unknown): unknown => told.push(dispatched as Dispatched)
subscribe("discord-emulator:dispatch", tell)

// Every file that talked to an emulator answers to Discord's own description.
afterAll(async () => {
  unsubscribe("discord-emulator:exchange", see)
  unsubscribe("discord-emulator:dispatch", tell)
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
