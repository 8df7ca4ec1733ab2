import { AssistantOptions, type Options } from "@heddle/server/assistant/AssistantOptions"
import type { ServerOptions } from "@heddle/server/config/ServerOptions"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { withAda } from "@heddle/test-support/AssistantClient"
import * as Programs from "@heddle/test-support/Programs"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as TestServer from "./TestServer.ts"

const bin = (packageName: string) =>
  fileURLToPath(new URL(`bin/heddle-${packageName}.js`, import.meta.resolve(`@heddle/${packageName}/package.json`)))

/** The command of the scripted agent. */
export const scripted = `${process.execPath} ${scriptedAgent}`

/** A service in this process with the account Ada, credentials of hers, and applications by name. */
export const service = (options: Partial<ServerOptions> = {}, channel: Partial<Options> = {}) =>
  Effect.flatMap(AssistantOptions, (defaults) =>
    TestServer.make(options).pipe(
      Effect.provideService(AssistantOptions, { ...defaults, ...channel }),
      Effect.flatMap(withAda)
    )
  )

/** The real program, ready, as a process of its own. */
export const program = (
  service: string,
  token: string,
  { agent = scripted, args = [], ready = true }: { agent?: string; args?: ReadonlyArray<string>; ready?: boolean } = {}
) =>
  Effect.gen(function* () {
    const folder = yield* TestServer.folder
    const state = args.includes("--state") ? [] : ["--state", Path.join(folder, "state")]
    const cwd = args.includes("--cwd") ? [] : ["--cwd", folder]
    const program = yield* Programs.start(
      bin("assistant"),
      ["--service", service, "--agent", agent, ...cwd, ...state, ...args],
      { ...process.env, HEDDLE_ASSISTANT_TOKEN: token }
    )
    if (ready) yield* program.ready
    return { ...program, folder }
  })

/** The service as a process of its own on a port that stays. */
export const serve = (dataDir: string, port: number, args: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const { ready, stop } = yield* Programs.start(bin("server"), [
      "serve",
      "--data",
      dataDir,
      "--port",
      String(port),
      ...args
    ])
    const url = String((yield* ready)["url"])
    return { url, port: Number(new URL(url).port), kill: stop("SIGKILL") }
  })

/** Waits until a file is there. */
export const file = (path: string) =>
  Effect.sync(() => Fs.existsSync(path)).pipe(
    Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (there) => there }),
    Effect.timeout("10 seconds"),
    Effect.orDie
  )
