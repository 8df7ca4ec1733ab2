import { spawn, type ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach } from "vitest"
import {
  client,
  ndJsonStream,
  type ClientConnection,
  type ContentBlock,
  type InitializeResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate
} from "@agentclientprotocol/sdk"

export interface Seen {
  readonly update: SessionUpdate
  readonly sessionId: string
}

/** A folder and its sessions in the built program, over real pipes with the official client; what it sends is collected. */
export interface Harness {
  readonly cwd: string
  readonly child: ChildProcess
  readonly connection: ClientConnection
  readonly initialized: InitializeResponse
  readonly seen: Array<Seen>
  readonly artifacts: Array<{ sessionId: string; event: string; artifact: Record<string, unknown> }>
  readonly permissions: Array<RequestPermissionRequest>
  readonly exited: Promise<number | null>
  readonly newSession: () => Promise<string>
  readonly prompt: (sessionId: string, ...blocks: ReadonlyArray<ContentBlock | string>) => Promise<PromptResponse>
  /** All that was said since the last call, as one text. */
  readonly heard: () => string
  readonly when: (test: (seen: Seen) => boolean) => Promise<Seen>
}

interface HarnessOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Which option is chosen; "wait" leaves the request open until the turn is cancelled. */
  readonly answer?: "allow" | "always" | "deny" | "wait"
}

const program = fileURLToPath(new URL("../../dist/bin/main.js", import.meta.url))

/** Where what a process sends is collected, and how its requests are answered. */
interface Inbox {
  readonly onUpdate: (seen: Seen) => void
  readonly artifacts: Harness["artifacts"]
  readonly permissions: Harness["permissions"]
  readonly answer: HarnessOptions["answer"]
}

/** A process of the program. `inbox` belongs to the test that uses it at the moment. */
const startProcess = async (env: HarnessOptions["env"]) => {
  const child = spawn(process.execPath, [program], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env }
  })
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  const current: { inbox?: Inbox } = {}
  const app = client({ name: "test" })
    .onNotification("session/update", ({ params }) => current.inbox?.onUpdate(params))
    .onNotification(
      "_vendor.ai/artifact",
      (params: unknown) => params as Harness["artifacts"][number],
      ({ params }) => void current.inbox?.artifacts.push(params)
    )
    .onRequest("session/request_permission", async ({ params, signal }) => {
      current.inbox?.permissions.push(params)
      if (current.inbox?.answer === "wait") {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
        return { outcome: { outcome: "cancelled" } }
      }
      return { outcome: { outcome: "selected", optionId: current.inbox?.answer ?? "allow" } }
    })
  const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin!), Readable.toWeb(child.stdout!)))
  const initialized = await connection.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const close = async () => {
    child.stdin?.end()
    const code = await exited
    connection.close()
    return code
  }
  return { child, exited, current, connection, initialized, close }
}
type Process = Awaited<ReturnType<typeof startProcess>>

const makeHarness = (
  { child, connection, current, exited, initialized }: Process,
  cwd: string,
  answer?: Inbox["answer"]
) => {
  const seen: Array<Seen> = []
  const artifacts: Harness["artifacts"] = []
  const permissions: Harness["permissions"] = []
  const waiting = new Set<{ test: (seen: Seen) => boolean; resolve: (seen: Seen) => void }>()
  const onUpdate = ({ sessionId, update }: Seen) => {
    const entry = { update, sessionId }
    seen.push(entry)
    for (const waiter of waiting) {
      if (!waiter.test(entry)) continue
      waiting.delete(waiter)
      waiter.resolve(entry)
    }
  }
  current.inbox = { onUpdate, artifacts, permissions, answer }
  let heardUpTo = 0
  const harness: Harness = {
    cwd,
    child,
    connection,
    initialized,
    seen,
    artifacts,
    permissions,
    exited,
    newSession: async () => (await connection.agent.request("session/new", { cwd, mcpServers: [] })).sessionId,
    prompt: (sessionId, ...blocks) =>
      connection.agent.request("session/prompt", {
        sessionId,
        prompt: blocks.map((block) => (typeof block === "string" ? { type: "text" as const, text: block } : block))
      }),
    heard: () => {
      const fresh = seen.slice(heardUpTo)
      heardUpTo = seen.length
      return fresh
        .map(({ update }) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : ""
        )
        .join("")
    },
    when: (test) => {
      const there = seen.find(test)
      return there === undefined ? new Promise((resolve) => waiting.add({ test, resolve })) : Promise.resolve(there)
    }
  }
  return harness
}

/**
 * Gives each test of a file a folder of its own in one process of the program. Who names a folder or an environment gets
 * a process of its own, which ends with the test.
 */
export const useAgents = () => {
  let shared: Process | undefined
  const own: Array<Process> = []
  const folders: Array<string> = []
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "heddle-agent-"))
    folders.push(made)
    return made
  }
  afterEach(async () => {
    for (const each of own.splice(0)) await each.close()
    for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true })
  })
  afterAll(() => shared?.close())
  return async ({ answer, cwd, env }: HarnessOptions = {}): Promise<Harness> => {
    if (cwd !== undefined || env !== undefined) {
      const process = await startProcess(env)
      own.push(process)
      return makeHarness(process, cwd ?? folder(), answer)
    }
    // A test may have ended it.
    if (shared === undefined || shared.child.exitCode !== null || shared.child.signalCode !== null)
      shared = await startProcess({})
    return makeHarness(shared, folder(), answer)
  }
}

/** A file as an embedded resource, text or bytes. */
export const file = (name: string, content: string | Uint8Array, mimeType?: string): ContentBlock => ({
  type: "resource",
  resource:
    typeof content === "string"
      ? {
          uri: `attachment:///${encodeURIComponent(name)}`,
          text: content,
          ...(mimeType === undefined ? {} : { mimeType })
        }
      : {
          uri: `attachment:///${encodeURIComponent(name)}`,
          blob: Buffer.from(content).toString("base64"),
          ...(mimeType === undefined ? {} : { mimeType })
        }
})
