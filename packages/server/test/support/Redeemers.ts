import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("./redeemer.mjs", import.meta.url))

export interface Said {
  readonly id: string
  /** `success`, or the code word of the refusal. */
  readonly said: string
  /** The body of a success, or the description of a refusal. */
  readonly text: string
}

/** Deals the requests out to processes that send them all at the same moment; gives every answer. */
export const redeem = (
  processes: number,
  where: { readonly url: string } | { readonly dataDir: string },
  requests: ReadonlyArray<object>
) =>
  Effect.gen(function* () {
    const started = yield* Effect.forEach(
      Array.from({ length: processes }, (_, index) => index),
      (index) => start({ ...where, requests: requests.filter((_, nth) => nth % processes === index) }),
      { concurrency: "unbounded" }
    )
    for (const { child } of started) child.stdin.write("go\n")
    const answers = yield* Effect.forEach(started, ({ line }) => line, { concurrency: "unbounded" })
    return answers.flatMap((answer) => JSON.parse(answer) as ReadonlyArray<Said>)
  })

const start = (work: object) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ["pipe", "pipe", "inherit"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const line = Effect.promise(() => lines.next()).pipe(
      Effect.map(({ value }) => String(value)),
      Effect.timeout("30 seconds")
    )
    yield* line
    return { child, line }
  })
