// One process on a data folder: for each line on standard input it does the same thing many times at once, and prints
// what came of it as one line of JSON.
import * as Applications from "@heddle/server/oauth/Applications"
import * as Audit from "@heddle/server/audit/Audit"
import * as Grants from "@heddle/server/oauth/Grants"
import * as OpenIds from "@heddle/server/accounts/OpenIds"
import { ServerConfig } from "@heddle/server/config/ServerConfig"
import { settings } from "@heddle/server/config/ServerOptions"
import * as Storage from "@heddle/server/sql/Storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Readline from "node:readline"

const [dataDir = ""] = process.argv.slice(2)

const rules = Layer.unwrapEffect(
  Effect.map(settings({ dataDir, contract: { refreshTokenOnRefresh: "rotate" } }), ({ withPort }) =>
    Layer.merge(Grants.layer, Applications.layer).pipe(
      Layer.provide([Audit.layer, OpenIds.layer]),
      Layer.provide([Storage.layer(dataDir), Layer.succeed(ServerConfig, withPort(1))])
    )
  )
)

const attempt = ({ kind, clientId, secret, redirectUri }) =>
  Effect.gen(function* () {
    const grants = yield* Grants.Grants
    const tokens = yield* kind === "exchange"
      ? grants.exchange({ clientId, code: Redacted.make(secret), redirectUri, codeVerifier: undefined })
      : grants.refresh({ clientId, refreshToken: Redacted.make(secret), scope: undefined })
    return [tokens.accessToken, tokens.refreshToken].map((token) => (token === undefined ? "" : Redacted.value(token)))
  }).pipe(Effect.catchAll((error) => Effect.succeed(error.code)))

const work = Effect.gen(function* () {
  process.stdout.write("ready\n")
  for (;;) {
    const order = yield* Effect.promise(() => next())
    if (order === undefined) return
    const each = Array.from({ length: order.times }, () => attempt(order))
    process.stdout.write(`${JSON.stringify(yield* Effect.all(each, { concurrency: "unbounded" }))}\n`)
  }
})

const lines = Readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const next = async () => {
  const { done, value } = await lines.next()
  return done ? undefined : JSON.parse(value)
}

await Effect.runPromise(work.pipe(Effect.provide(rules), Effect.provide(Logger.remove(Logger.defaultLogger))))
