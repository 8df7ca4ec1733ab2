import * as Password from "@heddle/server/accounts/Password"
import * as Administration from "@heddle/server/Administration"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Service from "@heddle/server/Service"
import * as Database from "@heddle/server/sql/Database"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import { TaskId } from "@heddle/core/domain/Task"
import type { KnownStatus } from "@heddle/core/domain/TaskStatus"
import { knownScopes } from "@heddle/core/domain/Scope"
import type { ServerOptions } from "@heddle/server/config/ServerOptions"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as MemorySandboxes from "./MemorySandboxes.ts"

export const redirectUri = "http://127.0.0.1:9/callback"

/** A data folder that is gone after the test. */
export const dataDir = folder("heddle-server-")

/** Hashes of 2 ms each; the real ones take longer than the rest of a test. */
export const cheapPasswords = { N: 2 ** 10, r: 8, p: 1 }

/** An access token for everything. */
export const grant = (dataDir: string, clientId: string, userId: string) =>
  Effect.gen(function* () {
    const granted = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(knownScopes) })
    return Redacted.value(granted.accessToken)
  }).pipe(Effect.provide(Administration.layer(dataDir)))

/** A service on a free port with one application and the account ada / correct horse. */
export const make = (options: Partial<ServerOptions> = {}, passwords = cheapPasswords) =>
  Effect.gen(function* () {
    const dir = options.dataDir ?? (yield* dataDir)
    const server = yield* Service.start(
      { port: 0, agents: [{ isolation: "none" }], ...options, dataDir: dir },
      MemorySandboxes.layer
    ).pipe(Effect.provideService(Password.Cost, passwords))
    const app = yield* server.applications.ensure({ name: "Loom", redirectUris: [redirectUri] })
    yield* server.accounts.ensure({ name: "Ada", password: Redacted.make("correct horse"), credits: 100 })
    return {
      ...server,
      dataDir: dir,
      /** An access token for everything, of another application and another person. */
      grantTo: (application: string, person: string) =>
        Effect.gen(function* () {
          const { clientId } = yield* server.applications.ensure({ name: application, redirectUris: [redirectUri] })
          const { userId } = yield* server.accounts.ensure({ name: person })
          return yield* grant(dir, clientId, userId)
        }),
      /** Moves a task as administration or the sandbox would. */
      move: (taskId: string, ...statuses: ReadonlyArray<KnownStatus>) =>
        Effect.gen(function* () {
          const store = yield* TaskStore.TaskStore
          for (const status of statuses) yield* store.transition(TaskId.make(taskId), status)
        }).pipe(Effect.provide(Layer.provide(TaskStore.layer, Layer.orDie(Database.layer(dir))))),
      clientId: app.clientId,
      clientSecret: Redacted.value(app.clientSecret),
      at: (path: string) => server.url + path
    }
  })

export type TestServer = Effect.Effect.Success<ReturnType<typeof make>>
