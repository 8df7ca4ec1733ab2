#!/usr/bin/env node
import { createRequire } from "node:module"
import { Readable, Writable } from "node:stream"
import { ndJsonStream } from "@agentclientprotocol/sdk"
import { demoAgent } from "./Agent.ts"
import { MAX_FILE_BYTES } from "./session/Workspace.ts"

// Standard output carries the protocol alone: whatever a library prints goes to standard error.
console.log = console.error
console.info = console.error
console.debug = console.error

const manifest: unknown = createRequire(import.meta.url)("@heddle/demo-agent/package.json")
const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "0.0.0"

const agent = demoAgent(version)
// A blob grows by a third in base64.
const stream = ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin), {
  maxMessageBytes: Math.ceil(MAX_FILE_BYTES * 1.4)
})
const connection = agent.app.connect(stream)
process.stdout.on("error", () => process.exit(0))
process.once("SIGTERM", () => connection.close())
await connection.closed
const late = setTimeout(() => process.exit(0), 1000)
await agent.stop()
clearTimeout(late)
process.exit(0)
