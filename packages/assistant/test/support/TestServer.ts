import { knownScopes } from "@heddle/core/domain/Scope"
import * as Administration from "@heddle/server/Administration"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Server from "@heddle/server/Server"
import * as Folder from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

export const redirectUri = "http://127.0.0.1:9/callback"

/** A folder that is removed after the test. */
export const folder = Folder.folder("heddle-assistant-")

/** A service on a free port. */
export const make = (options: Partial<Server.ServerOptions> = {}) =>
  Effect.gen(function* () {
    const dataDir = yield* folder
    const server = yield* Server.start({ port: 0, agents: [{ isolation: "none" }], ...options, dataDir })
    return {
      ...server,
      /** An access token with every scope, for a person's account in an application. */
      grantTo: (application: string, person: string) =>
        Effect.gen(function* () {
          const { clientId } = yield* server.applications.ensure({ name: application, redirectUris: [redirectUri] })
          const { userId } = yield* server.accounts.ensure({ name: person })
          const { accessToken } = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(knownScopes) })
          return Redacted.value(accessToken)
        }).pipe(Effect.provide(Administration.layer(dataDir)))
    }
  })
