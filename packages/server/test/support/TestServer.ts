import * as Administration from "@heddle/server/Administration"
import { Grants } from "@heddle/server/Grants"
import * as Service from "@heddle/server/Service"
import { known } from "@heddle/core/domain/Scope"
import type { ServerOptions } from "@heddle/server/ServerOptions"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as MemorySandboxes from "./MemorySandboxes.ts"

export const redirectUri = "http://127.0.0.1:9/callback"

/** A data folder that is gone after the test. */
export const dataDir = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "heddle-server-"))),
  (dir) => Effect.sync(() => Fs.rmSync(dir, { recursive: true, force: true }))
)

/** A service on a free port with one application and the account ada / correct horse. */
export const make = (options: Partial<ServerOptions> = {}) =>
  Effect.gen(function* () {
    const dir = options.dataDir ?? (yield* dataDir)
    const server = yield* Service.start({ port: 0, ...options, dataDir: dir }, MemorySandboxes.layer)
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
          const granted = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(known) })
          return Redacted.value(granted.accessToken)
        }).pipe(Effect.provide(Administration.layer(dir))),
      clientId: app.clientId,
      clientSecret: Redacted.value(app.clientSecret),
      at: (path: string) => server.url + path
    }
  })

export type TestServer = Effect.Effect.Success<ReturnType<typeof make>>
