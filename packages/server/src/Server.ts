import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Sandboxes } from "./Sandboxes.ts"
import type { ServerOptions } from "./ServerOptions.ts"
import type { ServerStartError } from "./ServerStartError.ts"
import * as Service from "./Service.ts"
import { TaskStore } from "./TaskStore.ts"

export type { RunningServer } from "./Service.ts"
export type { ServerOptions } from "./ServerOptions.ts"

/** Starts the whole service: OAuth, REST and tasks in sandboxes. When the scope closes it drains and stops. */
export const start = (options: ServerOptions): Effect.Effect<Service.RunningServer, ServerStartError, Scope.Scope> =>
  Service.start(options, sandboxes)

// Until the sandboxes are merged every task ends as failed, as it would without an agent.
const sandboxes = Layer.effect(
  Sandboxes,
  Effect.map(TaskStore, (store) => ({
    start: ({ taskId }) => Effect.asVoid(store.transition(taskId, "failed")),
    link: () => Effect.succeedNone
  }))
)
