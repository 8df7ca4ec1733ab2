import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { BotSettings } from "../model/BotSettings.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { StoreCheck } from "../store/database/StoreCheck.ts"
import type { Store } from "../store/database/Transaction.ts"
import * as Backlog from "../store/Backlog.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"

/** Whether the bot is ready; `why` has the reason of each part that is not. */
export interface HealthReport {
  readonly ready: boolean
  /** The gateway is alive. */
  readonly gateway: boolean
  /** The store keeps writes. */
  readonly store: boolean
  /** All due work makes progress. */
  readonly backlog: boolean
  readonly why: ReadonlyArray<string>
}

/** Checks the bot's readiness from time to time. */
export class Health extends Context.Tag("@heddle/bot/Health")<
  Health,
  {
    /** The current state; the store's is from the last check, seconds ago. */
    readonly report: Effect.Effect<HealthReport>
  }
>() {}

export const layer: Layer.Layer<Health, never, BotSettings | DiscordClient | Watchdog | Store | StoreCheck> =
  Layer.scoped(
    Health,
    Effect.gen(function* () {
      const { stuckAfterMs } = yield* BotSettings
      const { silence } = yield* DiscordClient
      const watchdog = yield* Watchdog
      const { check } = yield* StoreCheck
      const findOverdue = yield* Backlog.watch(stuckAfterMs)
      let store: string | undefined
      let backlogProblem: string | undefined

      const checkHealth = Effect.gen(function* () {
        const storeCheck = yield* Effect.either(check)
        store = Either.isLeft(storeCheck) ? `The store does not work: ${storeCheck.left.reason}.` : undefined
        // The backlog is unknown without the store.
        backlogProblem = Either.isLeft(storeCheck) ? undefined : yield* findOverdue
      }).pipe(Effect.catchAllCause((cause) => Effect.logError("The health of the bot could not be looked at", cause)))
      yield* Effect.forkScoped(
        Effect.forever(Effect.zipRight(checkHealth, Effect.sleep(Math.min(5000, stuckAfterMs / 5))))
      )

      return Health.of({
        report: Effect.sync(() => {
          const gateway = silence()
          const [worst, ...others] = watchdog.stuck(stuckAfterMs)
          const stuck =
            worst === undefined
              ? backlogProblem
              : `${worst.what} does not get on for ${seconds(worst.forMs)}${others.length === 0 ? "" : `, and ${others.length} more`}.`
          const why = [gateway, store, stuck].filter((words) => words !== undefined)
          return {
            ready: why.length === 0,
            gateway: gateway === undefined,
            store: store === undefined,
            backlog: stuck === undefined,
            why
          }
        })
      })
    })
  )

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`
