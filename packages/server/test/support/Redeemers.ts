import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("./redeemer.mjs", import.meta.url))

export interface Said {
  readonly id: string
  /** `success`, or the error code of the refusal. */
  readonly said: string
  /** The body of a success, or the description of a refusal. */
  readonly text: string
}

/** Processes that wait for work; they are killed when the scope closes. */
export const start = (processes: number) =>
  Effect.map(Effect.all(Array.from({ length: processes }, () => launch)), (redeemers) => ({
    /** Deals the requests out to the processes, which send them all at the same moment; gives every answer. */
    redeem: (where: { readonly url: string } | { readonly dataDir: string }, requests: ReadonlyArray<object>) =>
      Effect.gen(function* () {
        yield* Effect.forEach(
          redeemers,
          ({ line, tell }, index) => {
            tell(JSON.stringify({ ...where, requests: requests.filter((_, nth) => nth % processes === index) }))
            return line
          },
          { concurrency: "unbounded" }
        )
        for (const { tell } of redeemers) tell("go")
        const answers = yield* Effect.forEach(redeemers, ({ line }) => line, { concurrency: "unbounded" })
        return answers.flatMap((answer) => JSON.parse(answer) as ReadonlyArray<Said>)
      })
  }))

const launch = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=@heddle/built", program], { stdio: ["pipe", "pipe", "inherit"] })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    tell: (line: string) => void child.stdin.write(`${line}\n`),
    line: Effect.promise(() => lines.next()).pipe(
      Effect.map(({ value }) => String(value)),
      Effect.timeout("30 seconds")
    )
  }
})
