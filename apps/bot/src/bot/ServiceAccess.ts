import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Grants from "@heddle/oauth/Grants"
import * as TokenEndpoint from "@heddle/oauth/TokenEndpoint"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Application } from "../model/Application.ts"
import type { BotOptions } from "../model/BotOptions.ts"
import { BotStartError } from "../model/BotStartError.ts"
import * as BotHttp from "../operate/BotHttp.ts"

/** The encryption keys of stored secrets: the current one, and those before it. */
export const secrets = ({ encryptionKey }: BotOptions) =>
  EncryptionKey.layerText(encryptionKey).pipe(
    Layer.mapError(
      () =>
        new BotStartError({
          setting: "HEDDLE_ENCRYPTION_KEY",
          problem: "it is not a 256-bit key",
          fix: "Give 32 random bytes in base64 or hex, for example from `openssl rand -base64 32`."
        })
    )
  )

/** The grants of people at the service. */
export const oauth = ({ baseUrl, revocationPath }: BotOptions) =>
  Layer.merge(Grants.layer, AuthorizationRequests.layerSql).pipe(
    Layer.provideMerge(
      Layer.unwrapEffect(
        Effect.map(Application, ({ clientId, clientSecret }) =>
          TokenEndpoint.layer({
            baseUrl,
            clientId,
            clientSecret,
            userAgent: "heddle-bot",
            ...(revocationPath === undefined ? {} : { revocationPath })
          })
        )
      )
    ),
    Layer.provide(TokenStore.layerSql),
    Layer.mapError(
      (error) =>
        new BotStartError({
          setting: "HEDDLE_BASE_URL",
          problem: error.message,
          fix: "Give the address of the service, such as https://service.example."
        })
    )
  )

/** The bot's own HTTP server. */
export const server = ({ host, port }: BotOptions) =>
  NodeHttpServer.layerServer(createServer, { host: host ?? "127.0.0.1", port: port ?? 0 }).pipe(
    Layer.mapError(
      (error) =>
        new BotStartError({
          setting: "HEDDLE_PORT",
          problem: `the bot cannot listen on port ${port ?? 0} (${reasonOf(error.cause)})`,
          fix: "Give another port, or 0 for a free one."
        })
    )
  )

/** The OAuth application of the bot; its callback is on the bot's HTTP server. */
export const application = (options: BotOptions) =>
  Layer.effect(
    Application,
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const listening = address._tag === "TcpAddress" ? `http://${options.host ?? "127.0.0.1"}:${address.port}` : ""
      const callbackUrl = `${(options.publicUrl ?? listening).replace(/\/+$/, "")}${BotHttp.callbackPath}`
      return { ...(yield* options.application(callbackUrl)), callbackUrl }
    })
  )

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  if (code === "EADDRINUSE") return "another program uses it"
  return code === "EACCES" ? "this user may not use it" : String(cause)
}
