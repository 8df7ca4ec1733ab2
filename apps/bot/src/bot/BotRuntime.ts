import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

/** Runs a bot without spans, which no program exports, and with one queue for its fibers. */
export const provide = <A, E, R>(bot: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  bot.pipe(Effect.withTracerEnabled(false), Effect.withScheduler(new OneQueue(2048)))

/** By default each fiber has a queue of its own, for asynchronous contexts that the bot does not use. */
class OneQueue extends Scheduler.MixedScheduler {
  override scheduleTask(task: Scheduler.Task, priority: number): void {
    super.scheduleTask(task, priority)
  }
}
