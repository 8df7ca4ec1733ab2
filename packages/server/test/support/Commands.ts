import * as Program from "@heddle/command-line/Program"
import * as ServerCommand from "@heddle/server/cli/ServerCommand"
import * as Programs from "@heddle/test-support/Programs"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { vi } from "vitest"

/** The file of `heddle-server`. */
export const program = fileURLToPath(new URL("../../bin/heddle-server.js", import.meta.url))

/** Runs a command as a person does. */
export const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  Programs.run(program, args, { ...process.env, ...env })

/**
 * Runs a command in this process, which costs no start of a program. It takes what the process prints meanwhile, so no
 * other one may run here at the same time.
 */
export const runHere = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const printed = { out: "", err: "" }
    const collect = (stream: "stdout" | "stderr", name: keyof typeof printed) =>
      Effect.acquireRelease(
        Effect.sync(() =>
          vi.spyOn(process[stream], "write").mockImplementation((piece) => {
            printed[name] += String(piece)
            return true
          })
        ),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
    yield* collect("stdout", "out")
    yield* collect("stderr", "err")
    const failure = yield* Program.outcome("heddle-server", ServerCommand.run(["node", program, ...args]))
    const { err, out } = printed
    return failure === undefined
      ? { status: 0, out, err }
      : { status: failure.status, out, err: `${err}${failure.line}\n` }
  }).pipe(Effect.scoped, Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(env)))))
