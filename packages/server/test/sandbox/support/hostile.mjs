// An agent that tries what it must not. The prompt is `TRY {"…":…}` with one of the tries below; its answer is one
// JSON message: what came of it. It speaks as little of the protocol as it can.
import { spawn, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Os from "node:os"
import * as Readline from "node:readline"

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const attempt = async (what) => {
  try {
    return { done: (await what()) ?? true }
  } catch (error) {
    return { refused: error.code ?? error.message }
  }
}
const program = (source) => ["-e", source]

const tries = {
  read: ({ path }) => attempt(() => Fs.readFileSync(path, "utf8").slice(0, 200)),
  list: ({ path }) => attempt(() => Fs.readdirSync(path)),
  write: ({ path, bytes = 1 }) =>
    attempt(() => {
      const file = Fs.openSync(path, "w")
      for (let left = bytes; left > 0; left -= 1 << 20) Fs.writeSync(file, Buffer.alloc(Math.min(left, 1 << 20)))
    }),
  environment: () => ({ done: process.env }),
  /** What the environments of all processes that can be seen hold. */
  environments: () => ({
    done: Fs.readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          return Fs.readFileSync(`/proc/${pid}/environ`, "utf8")
        } catch {
          return ""
        }
      })
      .join("")
  }),
  connect: ({ port, host = "127.0.0.1" }) =>
    attempt(
      () =>
        new Promise((resolve, reject) => {
          const socket = Net.connect({ port, host, timeout: 3000 }, () => resolve("connected"))
          socket.on("timeout", () => reject(new Error("timeout")))
          socket.on("error", reject)
        })
    ),
  /** Signals a process by its id on the machine. */
  signal: ({ pid }) => attempt(() => process.kill(pid, 0)),
  /** A child of a session of its own, that writes as long as it lives. */
  outlive: ({ path }) =>
    attempt(() => {
      const child = spawn(
        process.execPath,
        program(
          `process.on("SIGTERM", () => {}); setInterval(() => require("fs").appendFileSync(process.argv[1], "."), 20)`
        ).concat(path),
        { detached: true, stdio: "ignore" }
      )
      child.unref()
    }),
  /** In a child, because whoever breaks this limit dies or cannot go on. */
  memory: ({ mebibytes }) => {
    const { status, signal } = spawnSync(
      process.execPath,
      program(`const kept = []; for (let n = 0; n < ${mebibytes}; n += 16) kept.push(Buffer.alloc(16 << 20, 1))`)
    )
    return status === 0 ? { done: true } : { refused: signal ?? status }
  },
  processes: ({ count }) => {
    const { stdout } = spawnSync("/bin/sh", [
      "-c",
      `n=0; while [ $n -lt ${count} ]; do sleep 5 & n=$((n+1)); done; echo all; kill 0`
    ])
    return stdout.includes("all") ? { done: true } : { refused: "fork" }
  },
  files: ({ count }) =>
    attempt(() => {
      const handles = []
      try {
        while (handles.length < count) handles.push(Fs.openSync("/dev/null", "r"))
      } finally {
        for (const handle of handles) Fs.closeSync(handle)
      }
    }),
  who: () => ({
    done: { host: Os.hostname(), processes: Fs.readdirSync("/proc").filter((n) => /^\d+$/.test(n)).length }
  }),
  namespace: () => {
    const { status } = spawnSync("unshare", ["--user", "--map-root-user", "true"])
    return status === 0 ? { done: true } : { refused: status }
  }
}

const answer = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "hostile" }),
  async "session/prompt"({ prompt }) {
    const [name, json = "{}"] = prompt[0].text.split(/ (.*)/s)
    const text = JSON.stringify(await tries[name](JSON.parse(json)))
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
    send({ method: "session/update", params: { sessionId: "hostile", update } })
    return { stopReason: "end_turn" }
  }
}

for await (const line of Readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  try {
    send({ id, result: await answer[method](params) })
  } catch (error) {
    send({ id, error: { code: -32603, message: String(error.stack) } })
  }
}
