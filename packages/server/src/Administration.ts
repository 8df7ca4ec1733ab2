import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Accounts from "./accounts/Accounts.ts"
import * as Applications from "./oauth/Applications.ts"
import * as Audit from "./audit/Audit.ts"
import * as AssistantCredentials from "./assistant/AssistantCredentials.ts"
import * as Credits from "./credits/Credits.ts"
import * as DataFolder from "./config/DataFolder.ts"
import * as Grants from "./oauth/Grants.ts"
import * as OpenIds from "./accounts/OpenIds.ts"
import * as RedemptionCodes from "./redemptions/RedemptionCodes.ts"
import * as Redemptions from "./redemptions/Redemptions.ts"
import { ServerConfig } from "./config/ServerConfig.ts"
import { settings } from "./config/ServerOptions.ts"
import type { ServerStartError } from "./config/ServerStartError.ts"
import * as Storage from "./sql/Storage.ts"
import * as TaskStore from "./tasks/TaskStore.ts"

/** What the command line administers. */
export type Administered =
  | Accounts.Accounts
  | Applications.Applications
  | Audit.Audit
  | AssistantCredentials.AssistantCredentials
  | Grants.Grants
  | RedemptionCodes.RedemptionCodes
  | Redemptions.Redemptions
  | TaskStore.TaskStore

/**
 * The services on a data folder without an HTTP server, for the command line. They work beside a server on the same
 * folder: their writes are short, and SQLite lets them wait for each other. Applications without a secret may be
 * registered here; whether they can do anything is up to the server.
 */
export const layer = (dataDir: string): Layer.Layer<Administered, ServerStartError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      yield* DataFolder.prepare(dataDir)
      yield* DataFolder.requireServerFolder(dataDir)
      const { withPort, port } = yield* settings({ dataDir, contract: { publicClients: true } })
      return Layer.mergeAll(
        Accounts.layer,
        Applications.layer,
        AssistantCredentials.layer,
        Grants.layer,
        RedemptionCodes.layer,
        Redemptions.layer,
        TaskStore.layer
      ).pipe(
        Layer.provideMerge(Audit.layer),
        Layer.provide([Credits.layer, OpenIds.layer]),
        // Nothing listens here, so the configured port stands for the actual one.
        Layer.provide([Storage.layer(dataDir), Layer.succeed(ServerConfig, withPort(port))])
      )
    })
  )
