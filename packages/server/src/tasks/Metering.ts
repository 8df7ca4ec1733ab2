import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Credits } from "../credits/Credits.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import { TaskStore } from "./TaskStore.ts"

/** What turns of tasks cost. Users who never had credits are not counted. */
export class Metering extends Context.Tag("@heddle/server/tasks/Metering")<
  Metering,
  {
    /** Why the user may not begin a turn now, in words for them. */
    readonly refusal: (userId: string) => Effect.Effect<Option.Option<string>>
    /** Sets the price of a turn aside until its {@link end}, or gives the reason why it may not begin. */
    readonly begin: (turn: TurnKey) => Effect.Effect<Option.Option<string>>
    /** Takes the price when the turn `counts`, once per turn, and frees what was set aside. */
    readonly end: (turn: TurnKey & { readonly counts: boolean }) => Effect.Effect<void>
  }
>() {}

/** A turn of a task. */
export interface TurnKey {
  readonly taskId: TaskId
  readonly turnId: string
}

export const layer: Layer.Layer<Metering, never, SqlClient.SqlClient | Credits | TaskStore | ServerConfig> =
  Layer.effect(
    Metering,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const credits = yield* Credits
      const store = yield* TaskStore
      const { creditsPerTurn } = yield* ServerConfig
      // In memory, because they mean nothing once the process that runs the turns is gone.
      const running = new Map<string, string>()

      const refusal = Effect.fnUntraced(function* (userId: string) {
        if (creditsPerTurn === 0) return Option.none()
        const left = Option.getOrUndefined(yield* credits.left(userId))
        const aside = [...running.values()].filter((owner) => owner === userId).length * creditsPerTurn
        if (left === undefined || left - aside >= creditsPerTurn) return Option.none()
        return Option.some(left < creditsPerTurn ? tooFew(left, creditsPerTurn) : spoken(left))
      })

      const ownerOf = (taskId: TaskId) =>
        Effect.map(
          store.get(taskId),
          Option.map(({ userId }) => userId)
        )

      const charge = Effect.fnUntraced(function* (taskId: TaskId, turnId: string) {
        const userId = Option.getOrUndefined(yield* ownerOf(taskId))
        if (creditsPerTurn === 0 || userId === undefined || Option.isNone(yield* credits.left(userId))) return
        const taken = yield* credits.use({ userId, amount: creditsPerTurn, reference: turnId })
        if (taken === creditsPerTurn) return
        yield* Effect.logWarning("a turn ended with too few credits left: a pack expired while it ran").pipe(
          Effect.annotateLogs({ taskId, turnId, taken })
        )
      })

      return {
        refusal: Effect.fn("Metering.refusal")(refusal),

        begin: Effect.fn("Metering.begin")(
          function* ({ taskId, turnId }) {
            const userId = yield* ownerOf(taskId)
            if (Option.isNone(userId)) return Option.none()
            const reason = yield* refusal(userId.value)
            if (Option.isNone(reason)) running.set(turnId, userId.value)
            return reason
          },
          // No turn ends between what is read and what is set aside: the end of one is in a transaction too.
          sql.withTransaction,
          Effect.orDie
        ),

        end: Effect.fn("Metering.end")(function* ({ counts, taskId, turnId }) {
          if (counts) yield* charge(taskId, turnId)
          running.delete(turnId)
        })
      }
    })
  )

const tooFew = (left: number, price: number): string =>
  left === 0
    ? "The account has used up its credits. Add credits, then try again."
    : `The account has ${creditsOf(left)} left, and a turn costs ${price}. Add credits, then try again.`

const spoken = (left: number): string =>
  `Turns that still run need the ${creditsOf(left)} that the account has left. Wait for one of them to end, or add credits.`

const creditsOf = (amount: number): string => (amount === 1 ? "1 credit" : `${amount} credits`)
