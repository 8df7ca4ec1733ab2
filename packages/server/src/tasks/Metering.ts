import * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Credits } from "../credits/Credits.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import * as WriteCheck from "../sql/WriteCheck.ts"
import { TaskStore } from "./TaskStore.ts"

/** Charges credits for the turns of tasks. Users who never had credits are not charged. */
export class Metering extends Context.Tag("@heddle/server/tasks/Metering")<
  Metering,
  {
    /** Why the user cannot begin a turn now, as a message for them. */
    readonly refusal: (userId: string) => Effect.Effect<Option.Option<string>>
    /**
     * Reserves the price of a turn until its {@link end}, or returns the reason why it cannot begin. Dies where the turn
     * could not be stored.
     */
    readonly begin: (turn: TurnKey) => Effect.Effect<Option.Option<string>>
    /** Charges the price if the turn `counts`, once per turn, and releases the reservation. */
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
      const checkWrites = yield* WriteCheck.make
      // The owner of each running turn. In memory, because the turns end with this process.
      const runningTurnOwners = new Map<string, string>()

      const refusal = Effect.fnUntraced(function* (userId: string) {
        if (creditsPerTurn === 0) return Option.none()
        const remaining = Option.getOrUndefined(yield* credits.remaining(userId))
        const reserved = [...runningTurnOwners.values()].filter((owner) => owner === userId).length * creditsPerTurn
        if (remaining === undefined || remaining - reserved >= creditsPerTurn) return Option.none()
        return Option.some(
          remaining < creditsPerTurn ? tooFewMessage(remaining, creditsPerTurn) : reservedMessage(remaining)
        )
      })

      const ownerOf = (taskId: TaskId) =>
        Effect.map(
          store.get(taskId),
          Option.map(({ userId }) => userId)
        )

      const charge = Effect.fnUntraced(function* (taskId: TaskId, turnId: string) {
        const userId = Option.getOrUndefined(yield* ownerOf(taskId))
        if (creditsPerTurn === 0 || userId === undefined || Option.isNone(yield* credits.remaining(userId))) return
        const spent = yield* credits.spend({ userId, amount: creditsPerTurn, reference: turnId })
        if (spent === creditsPerTurn) return
        yield* Effect.logWarning("a turn ended with too few credits left: a pack expired while it ran").pipe(
          Effect.annotateLogs({ taskId, turnId, taken: spent })
        )
      })

      return {
        refusal: Effect.fn("Metering.refusal")(refusal),

        begin: Effect.fn("Metering.begin")(
          function* ({ taskId, turnId }) {
            // What cannot be stored must not be worked on. The write comes first, so that it waits for other processes.
            yield* checkWrites
            const userId = yield* ownerOf(taskId)
            if (Option.isNone(userId)) return Option.none()
            const reason = yield* refusal(userId.value)
            if (Option.isNone(reason)) runningTurnOwners.set(turnId, userId.value)
            return reason
          },
          // In a transaction, as the end of a turn is: no turn ends between the check and the reservation.
          sql.withTransaction,
          Effect.orDie
        ),

        end: Effect.fn("Metering.end")(function* ({ counts, taskId, turnId }) {
          if (counts) yield* charge(taskId, turnId)
          runningTurnOwners.delete(turnId)
        })
      }
    })
  )

const tooFewMessage = (remaining: number, price: number): string =>
  remaining === 0
    ? "The account has used up its credits. Add credits, then try again."
    : `The account has ${creditsOf(remaining)} left, and a turn costs ${price}. Add credits, then try again.`

const reservedMessage = (remaining: number): string =>
  `Turns that still run need the ${creditsOf(remaining)} that the account has left. Wait for one of them to end, or add credits.`

const creditsOf = (amount: number): string => (amount === 1 ? "1 credit" : `${amount} credits`)
