import type { TaskId } from "@heddle/core/domain/Task"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

/** The sandboxes that tasks run in: one folder, agent process and ACP channel per task. */
export class Sandboxes extends Context.Tag("@heddle/server/tasks/Sandboxes")<
  Sandboxes,
  {
    /**
     * Prepares the task's folder, agent process and session in the background, then runs the prompt unless it is held.
     * Changes the task's status through `TaskStore`, to `failed` on an error. Returns at once.
     */
    readonly start: (task: {
      readonly taskId: TaskId
      readonly prompt: string
      readonly hold: boolean
    }) => Effect.Effect<void>
    /** The task's ACP channel, once it can be connected to: its address, and whether it waits for the prompt. */
    readonly channel: (
      taskId: TaskId
    ) => Effect.Effect<Option.Option<{ readonly link: string; readonly held: boolean }>>
  }
>() {}
