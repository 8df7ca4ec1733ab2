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

/** Whether the bot does its work now; each part that does not says why in `why`. */
export interface Report {
  readonly ready: boolean
  /** Discord is heard. */
  readonly gateway: boolean
  /** What is written is kept. */
  readonly store: boolean
  /** Everything that has to get on does. */
  readonly backlog: boolean
  readonly why: ReadonlyArray<string>
}

/** Looks from time to time whether the bot does its work. */
export class Health extends Context.Tag("@heddle/bot/Health")<
  Health,
  {
    /** How things are now; of the store, how it was at the last look, seconds ago. */
    readonly report: Effect.Effect<Report>
  }
>() {}

export const layer: Layer.Layer<Health, never, BotSettings | DiscordClient | Watchdog | Store | StoreCheck> =
  Layer.scoped(
    Health,
    Effect.gen(function* () {
      const { stuckAfterMs } = yield* BotSettings
      const { silence } = yield* DiscordClient
      const progress = yield* Watchdog
      const { check } = yield* StoreCheck
      const overdue = yield* Backlog.watch(stuckAfterMs)
      let store: string | undefined
      let left: string | undefined

      const look = Effect.gen(function* () {
        const checked = yield* Effect.either(check)
        store = Either.isLeft(checked) ? `The store does not work: ${checked.left.reason}.` : undefined
        // Without its store the bot knows of no backlog.
        left = Either.isLeft(checked) ? undefined : yield* overdue
      }).pipe(Effect.catchAllCause((cause) => Effect.logError("The health of the bot could not be looked at", cause)))
      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(look, Effect.sleep(Math.min(5000, stuckAfterMs / 5)))))

      return Health.of({
        report: Effect.sync(() => {
          const gateway = silence()
          const [worst, ...more] = progress.stuck(stuckAfterMs)
          const stuck =
            worst === undefined
              ? left
              : `${worst.what} does not get on for ${seconds(worst.forMs)}${more.length === 0 ? "" : `, and ${more.length} more`}.`
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
