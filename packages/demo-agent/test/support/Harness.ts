import { spawn, type ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { afterEach } from "vitest"
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

/** The built program over real pipes with the official client; what it sends is collected. */
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
  readonly close: () => Promise<number | null>
}

interface HarnessOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Which option is chosen; "wait" leaves the request open until the turn is cancelled. */
  readonly answer?: "allow" | "always" | "deny" | "wait"
}

const program = fileURLToPath(new URL("../../dist/bin/main.js", import.meta.url))

export const startAgent = async (options: HarnessOptions = {}): Promise<Harness> => {
  const cwd = options.cwd ?? mkdtempSync(join(tmpdir(), "heddle-agent-"))
  const child = spawn(process.execPath, [program], {
    cwd,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...options.env }
  })
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  const seen: Array<Seen> = []
  const artifacts: Harness["artifacts"] = []
  const permissions: Array<RequestPermissionRequest> = []
  const waiting = new Set<{ test: (seen: Seen) => boolean; resolve: (seen: Seen) => void }>()
  let release: (() => void) | undefined
  const app = client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      const entry = { update: params.update, sessionId: params.sessionId }
      seen.push(entry)
      for (const waiter of waiting) {
        if (!waiter.test(entry)) continue
        waiting.delete(waiter)
        waiter.resolve(entry)
      }
    })
    .onNotification(
      "_vendor.ai/artifact",
      (params: unknown) => params as Harness["artifacts"][number],
      ({ params }) => {
        artifacts.push(params)
      }
    )
    .onRequest("session/request_permission", async ({ params, signal }) => {
      permissions.push(params)
      if (options.answer === "wait") {
        await new Promise<void>((resolve) => {
          release = resolve
          signal.addEventListener("abort", () => resolve())
        })
        return { outcome: { outcome: "cancelled" } }
      }
      return { outcome: { outcome: "selected", optionId: options.answer ?? "allow" } }
    })
  const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin!), Readable.toWeb(child.stdout!)))
  const initialized = await connection.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
  let heardUpTo = 0
  return {
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
    },
    close: async () => {
      release?.()
      child.stdin?.end()
      const code = await exited
      connection.close()
      if (options.cwd === undefined) rmSync(cwd, { recursive: true, force: true })
      return code
    }
  }
}

/** Starts agents that are closed after each test of the file. */
export const useAgents = () => {
  const running: Array<Harness> = []
  afterEach(async () => {
    for (const agent of running.splice(0)) await agent.close()
  })
  return async (options?: HarnessOptions): Promise<Harness> => {
    const agent = await startAgent(options)
    running.push(agent)
    return agent
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
