import * as SqlClient from "@effect/sql/SqlClient"
import * as Accounts from "@heddle/server/accounts/Accounts"
import * as OpenIds from "@heddle/server/accounts/OpenIds"
import * as Password from "@heddle/server/accounts/Password"
import * as SignIns from "@heddle/server/accounts/SignIns"
import * as AssistantMessages from "@heddle/server/assistant/AssistantMessages"
import * as AssistantQuestions from "@heddle/server/assistant/AssistantQuestions"
import * as Audit from "@heddle/server/audit/Audit"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { settings, type ServerOptions } from "@heddle/server/config/ServerOptions"
import * as Credits from "@heddle/server/credits/Credits"
import * as Applications from "@heddle/server/oauth/Applications"
import * as ConnectedApps from "@heddle/server/oauth/ConnectedApps"
import * as Consents from "@heddle/server/oauth/Consents"
import * as Devices from "@heddle/server/oauth/Devices"
import * as Grants from "@heddle/server/oauth/Grants"
import * as RedemptionCodes from "@heddle/server/redemptions/RedemptionCodes"
import * as Redemptions from "@heddle/server/redemptions/Redemptions"
import * as SandboxStore from "@heddle/server/sandbox/journal/SandboxStore"
import * as Storage from "@heddle/server/sql/Storage"
import * as Metering from "@heddle/server/tasks/Metering"
import { Sandboxes } from "@heddle/server/tasks/Sandboxes"
import * as Tasks from "@heddle/server/tasks/Tasks"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import * as Tickets from "@heddle/server/tasks/Tickets"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestServer from "./TestServer.ts"

interface TestedSandboxes {
  /** The ids of the tasks whose sandboxes were started. */
  readonly started: Array<string>
  /** The ids of the tasks that can be connected to; the test changes them. */
  readonly connectable: Set<string>
}

const layer = (dataDir: string, options: Partial<ServerOptions>, { connectable, started }: TestedSandboxes) =>
  Layer.unwrapEffect(
    Effect.map(settings({ ...options, dataDir }), ({ withPort }) =>
      Layer.mergeAll(
        ConnectedApps.layer,
        Consents.layer,
        Devices.layer,
        Redemptions.layer,
        SignIns.layer,
        Tasks.layer,
        AssistantMessages.layer,
        AssistantQuestions.layer,
        SandboxStore.layer
      ).pipe(
        Layer.provideMerge(Layer.mergeAll(Grants.layer, Metering.layer)),
        Layer.provideMerge(Layer.mergeAll(Applications.layer, Accounts.layer, RedemptionCodes.layer)),
        Layer.provideMerge(
          Layer.mergeAll(
            Audit.layer,
            Credits.layer,
            OpenIds.layer,
            TaskStore.layer,
            Tickets.layer,
            Layer.succeed(Sandboxes, {
              start: ({ taskId }) => Effect.sync(() => void started.push(taskId)),
              channel: (taskId) =>
                Effect.succeed(
                  connectable.has(taskId) ? Option.some({ link: `http://x/${taskId}/acp`, held: false }) : Option.none()
                )
            })
          )
        ),
        Layer.provideMerge(Layer.mergeAll(Storage.layer(dataDir), Layer.succeed(ServerConfig, withPort(1)))),
        Layer.provide(Layer.succeed(Password.Cost, TestServer.cheapPasswords))
      )
    )
  )

export interface Stage extends TestedSandboxes {
  readonly dataDir: string
  /** Two applications. */
  readonly clientId: string
  readonly otherClientId: string
}

/** All rules of the service over real SQL, with two applications, the accounts `ada` and `bea`, and a clock that the test moves. */
export const withAllRules = <A, E, R>(options: Partial<ServerOptions>, use: (stage: Stage) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const dataDir = yield* TestServer.dataDir
    const sandboxes: TestedSandboxes = { started: [], connectable: new Set() }
    return yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const name of ["ada", "bea"])
        yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES (${name}, ${name}, ${name}, '', 0)`
      const register = (name: string) =>
        Effect.flatMap(Applications.Applications, (applications) =>
          applications.create({ name, redirectUris: [TestServer.redirectUri] })
        )
      const [{ clientId }, other] = [yield* register("Loom"), yield* register("Other")]
      return yield* use({ dataDir, clientId, otherClientId: other.clientId, ...sandboxes })
    }).pipe(Effect.provide(layer(dataDir, options, sandboxes)))
  })
