import { AssistantOptions, type Options } from "@heddle/server/assistant/AssistantOptions"
import type { ServerOptions } from "@heddle/server/config/ServerOptions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as TestServer from "./TestServer.ts"

const bin = (packageName: string) =>
  fileURLToPath(new URL(`bin/heddle-${packageName}.js`, import.meta.resolve(`@heddle/${packageName}/package.json`)))
const agentFile = fileURLToPath(new URL("../../../server/test/sandbox/support/agent.mjs", import.meta.url))

/** The scripted agent, which does what the message says line by line. */
export const scripted = `${process.execPath} ${agentFile}`

export interface Message {
  readonly message_id: string
  readonly role: string
  readonly content: ReadonlyArray<string>
  readonly msg_type: string
  readonly created_at: string
  readonly attachments: ReadonlyArray<unknown>
  readonly metadata: Record<string, unknown> & { readonly questions?: ReadonlyArray<Record<string, unknown>> }
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly json: Record<string, unknown>
}

/** What an application sees of the local assistant. */
export const application = (url: string, accessToken: string) => {
  const call = (path: string, init: { readonly json?: unknown; readonly headers?: Record<string, string> } = {}) =>
    Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`${url}/openapi/v2/localassistant${path}`, {
        headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json", ...init.headers },
        ...(init.json === undefined ? {} : { method: "POST", body: JSON.stringify(init.json) })
      })
      const text = await response.text()
      return { status: response.status, text, json: JSON.parse(text) as Record<string, unknown> }
    })
  const data = (answer: Answer) => answer.json["data"] as Record<string, unknown>
  const online = Effect.map(call(""), (answer) => data(answer)["online"] === true)
  const post = (json: unknown, headers: Record<string, string> = {}) => call("/message", { json, headers })
  const history = (query = "") =>
    Effect.map(call(`/message${query}`), (answer) => data(answer)["messages"] as Array<Message>)
  const poll = <A>(
    effect: Effect.Effect<A>,
    until: (value: A) => boolean,
    within: Duration.DurationInput = "15 seconds"
  ) =>
    effect.pipe(
      Effect.repeat({ schedule: Schedule.zipRight(Schedule.spaced("30 millis"), Schedule.identity<A>()), until }),
      Effect.timeoutFail({ duration: within, onTimeout: () => new Error("it did not come about in time") }),
      Effect.orDie
    )
  const send = (content: string, headers: Record<string, string> = {}) =>
    Effect.map(post({ content, msg_type: "text" }, headers), (answer) => {
      if (answer.status !== 200) throw new Error(answer.text)
      return String(data(answer)["message_id"])
    })
  /** The answer to a message, once it is there. */
  const reply = (messageId: string, within?: Duration.DurationInput) =>
    Effect.map(
      poll(
        history(`?message_id=${messageId}`),
        (all) => all.some((each) => each.metadata["answers"] === messageId),
        within
      ),
      (all) => all.find((each) => each.metadata["answers"] === messageId) as Message
    )
  /** The first question after a message, once it is there. */
  const question = (messageId: string) =>
    Effect.map(
      poll(history(`?message_id=${messageId}`), (all) => all.some((each) => each.metadata["requestId"] !== undefined)),
      (all) => all.find((each) => each.metadata["requestId"] !== undefined) as Message
    )
  const answer = (requestId: unknown, answers: unknown, outcome = "selected") =>
    post({ content: JSON.stringify({ outcome, requestId, answers }), msg_type: "permission_response" })
  const becomes = (value: boolean, within?: Duration.DurationInput) => poll(online, (now) => now === value, within)
  return { call, online, post, history, send, reply, question, answer, becomes, poll }
}

/** A service in this process with the account Ada, one credential of hers, and applications by name. */
export const service = (options: Partial<ServerOptions> = {}, channel: Partial<Options> = {}) =>
  Effect.gen(function* () {
    const defaults = yield* AssistantOptions
    const server = yield* TestServer.make(options).pipe(
      Effect.provideService(AssistantOptions, { ...defaults, ...channel })
    )
    const { userId } = yield* server.accounts.ensure({ name: "Ada" })
    const credential = Effect.map(server.assistants.create(userId, "test"), ({ assistantId, assistantToken }) => ({
      assistantId,
      token: Redacted.value(assistantToken)
    }))
    return {
      ...server,
      userId,
      credential,
      app: (name = "Loom", person = "Ada") =>
        Effect.map(server.grantTo(name, person), (token) => application(server.url, token))
    }
  })

export interface Ended {
  readonly status: number | null
  readonly err: string
}

/** The real program, ready, as a process of its own; it is killed at the latest when the test ends. */
export const program = (
  service: string,
  token: string,
  { agent = scripted, args = [], ready = true }: { agent?: string; args?: ReadonlyArray<string>; ready?: boolean } = {}
) =>
  Effect.gen(function* () {
    const folder = yield* TestServer.folder
    const state = args.includes("--state") ? [] : ["--state", Path.join(folder, "state")]
    const cwd = args.includes("--cwd") ? [] : ["--cwd", folder]
    const child = spawn(
      process.execPath,
      [bin("assistant"), "--service", service, "--agent", agent, ...cwd, ...state, ...args],
      { env: { ...process.env, HEDDLE_ASSISTANT_TOKEN: token }, stdio: ["ignore", "pipe", "pipe"] }
    )
    let err = ""
    let out = ""
    child.stderr.on("data", (piece) => (err += piece))
    child.stdout.on("data", (piece) => (out += piece))
    const ended = new Promise<Ended>((resolve) => child.once("close", (status) => resolve({ status, err })))
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    if (ready) {
      yield* Effect.async<void>((resume) => {
        child.stdout.once("data", () => resume(Effect.void))
        child.once("close", () => resume(Effect.die(new Error(err))))
      }).pipe(Effect.timeout("15 seconds"), Effect.orDie)
    }
    return {
      folder,
      out: () => out,
      err: () => err,
      ended: Effect.promise(() => ended),
      stop: (signal: "SIGTERM" | "SIGKILL") =>
        Effect.promise(() => {
          child.kill(signal)
          return ended
        })
    }
  })

/** The service as a process of its own on a port that stays. */
export const serve = (dataDir: string, port: number, args: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const child = spawn(
      process.execPath,
      [bin("server"), "serve", "--data", dataDir, "--port", String(port), ...args],
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const line = yield* Effect.async<string>((resume) => {
      child.stdout.once("data", (piece) => resume(Effect.succeed(String(piece))))
    }).pipe(Effect.timeout("15 seconds"), Effect.orDie)
    const { url } = JSON.parse(line) as { url: string }
    return {
      url,
      port: Number(new URL(url).port),
      kill: Effect.promise(() => {
        child.kill("SIGKILL")
        return ended
      })
    }
  })

/** Waits until a file is there. */
export const file = (path: string) =>
  Effect.sync(() => Fs.existsSync(path)).pipe(
    Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (there) => there }),
    Effect.timeout("10 seconds"),
    Effect.orDie
  )
