import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Api from "./Api.ts"
import type { CheckGroup } from "./Catalogue.ts"
import type { Check } from "./Check.ts"
import { CheckContext } from "./CheckContext.ts"
import type { CheckFailure, Skipped } from "./CheckFailure.ts"
import type { Exchange } from "./HttpMessage.ts"
import * as Fixtures from "./Fixtures.ts"
import { freshId } from "./internal/FreshId.ts"
import * as CheckContextFactory from "./internal/CheckContextFactory.ts"
import { flagOf, type Settings } from "./Settings.ts"

/** The result of a check. */
export type Result = { readonly check: Check; readonly ms: number } & (
  | { readonly verdict: "passed" }
  | {
      /** `differs`: the service fills a gap of the API document in another way than the decision table. */
      readonly verdict: "failed" | "differs"
      readonly problems: ReadonlyArray<string>
      readonly exchanges: ReadonlyArray<Exchange>
    }
  | { readonly verdict: "skipped"; readonly reason: string }
)

/** Runs the checks against a service. The results come in the order of the groups. */
export const run = (
  groups: ReadonlyArray<CheckGroup>,
  settings: Settings,
  options: { readonly strict: boolean }
): Stream.Stream<Result> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const contexts = CheckContextFactory.make(settings)
      // The fixtures are made with this context, which has none of them yet.
      const notReady = Effect.die("a fixture was used to make itself")
      const fixtureContext = contexts.make([], {
        task: notReady,
        channelTask: notReady,
        turn: notReady,
        unknownCode: notReady
      })
      const createTask = Effect.cached(
        Effect.provideService(Fixtures.createTask("Say hello in one short sentence."), CheckContext, fixtureContext)
      )
      const task = yield* createTask
      const channelTask = yield* createTask
      const turn = yield* Effect.cached(
        Effect.flatMap(channelTask, (task) =>
          Effect.provideService(Fixtures.runTurn(task, settings.artifactPrompt), CheckContext, fixtureContext)
        )
      )
      const unknownCode = yield* Effect.cached(
        Effect.provideService(
          Api.send(Api.post("/redemptions", { code: "NO-SUCH-CODE-7F3A9C", request_id: freshId() })),
          CheckContext,
          fixtureContext
        )
      )
      const runCheck = (check: Check) => {
        const record: Array<Exchange> = []
        const context = contexts.make(record, { task, channelTask, turn, unknownCode })
        return runAndJudge(check, settings, options.strict, record).pipe(Effect.provideService(CheckContext, context))
      }
      const runGroup = ({ checks }: CheckGroup) => Effect.forEach(checks, runCheck)
      const concurrentGroups = groups.filter(({ runsLast }) => !runsLast)
      const lastGroups = groups.filter(({ runsLast }) => runsLast)
      return Stream.fromIterable(concurrentGroups).pipe(
        Stream.mapEffect(runGroup, { concurrency: 8 }),
        Stream.concat(Stream.mapEffect(Stream.fromIterable(lastGroups), runGroup)),
        Stream.flattenIterables
      )
    })
  )

const runAndJudge = (check: Check, settings: Settings, strict: boolean, exchanges: ReadonlyArray<Exchange>) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const missing = check.needs.filter((name) => !settings.values.has(name)).map((name) => `--${flagOf(name)}`)
    if (check.disposable && !settings.disposable) missing.push("--disposable")
    if (missing.length > 0) return { check, ms: 0, ...skipped(`needs ${missing.join(", ")}`) }
    const exit = yield* check.run.pipe(
      Effect.scoped,
      Effect.timeoutFail({ duration: "20 seconds", onTimeout: () => tooLong }),
      Effect.exit
    )
    return { check, ms: Math.round(performance.now() - startedAt), ...verdict(exit, check, strict, exchanges) }
  })

type Failure = CheckFailure | typeof tooLong

const tooLong = { _tag: "TooLong" } as const

const verdict = (
  exit: Exit.Exit<unknown, Failure>,
  check: Check,
  strict: boolean,
  exchanges: ReadonlyArray<Exchange>
) => {
  if (Exit.isSuccess(exit)) return { verdict: "passed" } as const
  const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (failure?._tag === "Skipped") return skipped(failure.reason)
  const differs = check.level === "decision" && !strict
  return { verdict: differs ? "differs" : "failed", problems: problemsOf(failure, exit.cause), exchanges } as const
}

const problemsOf = (failure: Exclude<Failure, Skipped> | undefined, cause: Cause.Cause<unknown>) => {
  switch (failure?._tag) {
    case "Mismatch":
      return failure.problems
    case "NoResponse":
      return [`the service responds; ${failure.reason}`]
    case "TooLong":
      return ["the check ends within 20 seconds; the service took longer"]
    case undefined:
      return [`the check itself failed: ${Cause.pretty(cause).split("\n")[0]}`]
  }
}

const skipped = (reason: string) => ({ verdict: "skipped", reason }) as const
