import * as SqlClient from "@effect/sql/SqlClient"
import * as Accounts from "@heddle/server/accounts/Accounts"
import * as Applications from "@heddle/server/oauth/Applications"
import * as Audit from "@heddle/server/audit/Audit"
import * as ConnectedApps from "@heddle/server/oauth/ConnectedApps"
import * as Consents from "@heddle/server/oauth/Consents"
import * as Credits from "@heddle/server/credits/Credits"
import * as Devices from "@heddle/server/oauth/Devices"
import * as Grants from "@heddle/server/oauth/Grants"
import * as OpenIds from "@heddle/server/accounts/OpenIds"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { settings, type ServerOptions } from "@heddle/server/config/ServerOptions"
import * as SignIns from "@heddle/server/accounts/SignIns"
import * as Storage from "@heddle/server/sql/Storage"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import * as Tickets from "@heddle/server/tasks/Tickets"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestServer from "./TestServer.ts"

/** The rules over real SQL in a data folder. */
export const layer = (dataDir: string, options: Partial<ServerOptions> = {}) =>
  Layer.unwrapEffect(
    Effect.map(settings({ ...options, dataDir }), ({ withPort }) =>
      Layer.mergeAll(
        ConnectedApps.layer,
        Consents.layer,
        Devices.layer,
        SignIns.layer,
        Tickets.layer,
        TaskStore.layer
      ).pipe(
        Layer.provideMerge(Grants.layer),
        Layer.provideMerge(Layer.mergeAll(Applications.layer, Accounts.layer, Audit.layer)),
        Layer.provide([OpenIds.layer, Credits.layer]),
        Layer.provideMerge(Layer.mergeAll(Storage.layer(dataDir), Layer.succeed(ServerConfig, withPort(1))))
      )
    )
  )

/** The rules over real SQL, with one application and the account `ada`, and a clock that the test moves. */
export const withRules = <A, E, R>(
  options: Partial<ServerOptions>,
  use: (dataDir: string, clientId: string) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const dataDir = yield* TestServer.dataDir
    return yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES ('ada', 'ada', 'Ada', '', 0)`
      const applications = yield* Applications.Applications
      const { clientId } = yield* applications.create({ name: "Loom", redirectUris: [TestServer.redirectUri] })
      return yield* use(dataDir, clientId)
    }).pipe(Effect.provide(layer(dataDir, options)))
  })
