import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ThreadOwner from "../thread/ThreadOwner.ts"
import { Threads } from "../thread/Threads.ts"
import { type Command, say } from "./Command.ts"

/** `/task stop`: stops the current answer; the task stays and takes further messages. */
export const TaskStop: Command<Threads | ThreadOwner.Requirements> = {
  path: "task stop",
  describe: ({ commands }) => ({ ...commands.taskStop, options: [] }),
  answers: "privately",
  action: ({ reply }) =>
    Effect.flatMap(Threads, (threads) => threads.find(reply.channelId)).pipe(
      Effect.map(Option.match({ onNone: () => ({ _tag: "NothingHere" }), onSome: (task) => ({ _tag: "Stop", task }) }))
    ),
  handle: Effect.fn("TaskStop.handle")(function* ({ reply }, messages) {
    const thread = yield* (yield* Threads).find(reply.channelId)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    return Option.some(say(messages.stop[yield* ThreadOwner.stop(reply.channelId)]))
  })
}
