#!/usr/bin/env node
import { readFileSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import { ndJsonStream } from "@agentclientprotocol/sdk"
import { demoAgent } from "./Agent.ts"
import { MAX_FILE_BYTES } from "./session/Workspace.ts"

// Standard output carries only the protocol, so output of libraries goes to standard error.
console.log = console.error
console.info = console.error
console.debug = console.error

const manifest: unknown = JSON.parse(
  readFileSync(new URL(import.meta.resolve("@heddle/demo-agent/package.json")), "utf8")
)
const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0.0.0"

const agent = demoAgent(version)
// Base64 makes a blob a third larger.
const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin), {
  maxMessageBytes: Math.ceil(MAX_FILE_BYTES * 1.4)
})
const connection = agent.app.connect(stream)
process.stdout.on("error", () => process.exit(0))
process.once("SIGTERM", () => connection.close())
await connection.closed
const forceExit = setTimeout(() => process.exit(0), 1000)
await agent.stop()
clearTimeout(forceExit)
process.exit(0)
