import { Sandboxes } from "@heddle/server/tasks/Sandboxes"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { TaskStore } from "@heddle/server/tasks/TaskStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Sandboxes without agents: a task can be connected to as soon as its start has gone through. */
export const layer = Layer.scoped(
  Sandboxes,
  Effect.gen(function* () {
    const { publicUrl } = yield* ServerConfig
    const store = yield* TaskStore
    const held = new Set<string>()
    return {
      start: ({ hold, taskId }) => {
        if (hold) held.add(taskId)
        return store
          .transition(taskId, hold ? "idle" : "working")
          .pipe(Effect.delay("20 millis"), Effect.forkDaemon, Effect.asVoid)
      },
      channel: (taskId) =>
        Effect.map(
          store.get(taskId),
          Option.flatMap((task) =>
            task.status === "creating" || task.status === "failed"
              ? Option.none()
              : Option.some({ link: `${publicUrl}/sandboxes/${taskId}/acp`, held: held.has(taskId) })
          )
        )
    }
  })
)
