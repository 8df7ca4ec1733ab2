import * as Command from "@effect/cli/Command"
import * as AgentFlags from "@heddle/command-line/AgentFlags"
import * as Output from "@heddle/command-line/Output"
import * as ProcessExit from "@heddle/command-line/ProcessExit"
import * as Setting from "@heddle/command-line/Setting"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AgentSettings from "../config/AgentSettings.ts"
import type { ServerOptions } from "../config/ServerOptions.ts"
import { ServerStartError } from "../config/ServerStartError.ts"
import * as Database from "../sql/Database.ts"
import * as ContractFlags from "./ContractFlags.ts"
import * as DataCommand from "./DataCommand.ts"
import * as RateFlag from "./RateFlag.ts"

const flags = {
  host: Setting.optional("host", "The address to listen on; this machine only when left out"),
  port: Setting.integer("port", "The port; 4310 when left out, 0 picks a free one"),
  data: DataCommand.data,
  database: Setting.optional("database", "Not yet available: a PostgreSQL address in place of --data"),
  agents: AgentFlags.make(AgentSettings.defaults),
  publicUrl: Setting.optional("public-url", "How others reach this service; http://HOST:PORT when left out"),
  ticketTtl: Setting.integer("ticket-ttl", "Seconds that a sandbox credential lives; 3 days when left out"),
  codeTtl: Setting.integer("access-token-ttl-code", "Seconds that an access token from a code lives; 604800"),
  refreshTtl: Setting.integer("access-token-ttl-refresh", "Seconds that an access token from a refresh lives; 3600"),
  idleTtl: Setting.integer("refresh-token-ttl", "Seconds that an unused refresh token lives; 90 days"),
  creditsPerTurn: Setting.integer("credits-per-turn", "What a turn of a task costs; 1 when left out, 0 counts nothing"),
  overview: Setting.choice(
    "overview",
    ["none", "last-message"],
    "What becomes a task's overview when its agent writes none; none when left out"
  ),
  rateLimits: Setting.choice("rate-limits", ["on", "off"], "Whether callers are limited in how often they ask"),
  rateLimit: RateFlag.all,
  corsOrigin: Setting.texts("cors-origin", "A web origin whose pages may read answers, or *; none when left out"),
  deprecation: Setting.date("deprecation", "The date from which callers are told that the API is deprecated"),
  sunset: Setting.date("sunset", "The date on which callers are told that the API ends"),
  metrics: Setting.choice("metrics", ["loopback", "everyone", "off"], "Who may read /metrics"),
  trustProxy: Setting.flag("trust-proxy", "Take callers' addresses from X-Forwarded-For, as a reverse proxy sets it"),
  contract: ContractFlags.all
}

/** `serve`: runs the service until a signal stops it. */
export const command = Command.make(
  "serve",
  flags,
  Effect.fnUntraced(function* (flagValues) {
    const options = yield* optionsOf(flagValues)
    yield* ProcessExit.before(() => Database.checkpointNow(options.dataDir))
    const { url } = yield* Effect.flatMap(loadServer, (Server) => Server.start(options))
    yield* Output.make(true).print({ ready: true, url })
    return yield* Effect.never
  }, Effect.scoped)
).pipe(Command.withDescription("Run the service"))

// Loaded on demand: a third of the start-up time, which the administration commands need not pay.
const loadServer = Effect.promise(() => import("../Server.ts"))

const seconds = (setting: string, value: Option.Option<number>) =>
  Option.exists(value, (number) => number < 1)
    ? Effect.fail(
        new ServerStartError({
          setting,
          problem: "it is less than one second",
          fix: "Give a number of seconds from 1 up."
        })
      )
    : Effect.succeed(Option.map(value, Duration.seconds))

/** What the flags mean for the server. */
const optionsOf = Effect.fnUntraced(function* (flagValues: Command.Command.ParseConfig<typeof flags>) {
  if (Option.isSome(flagValues.database)) {
    return yield* new ServerStartError({
      setting: "--database",
      problem: "this version keeps its data in SQLite only",
      fix: "Leave --database out and name a folder with --data."
    })
  }
  if (Option.isSome(flagValues.sunset) && Option.isNone(flagValues.deprecation)) {
    return yield* new ServerStartError({
      setting: "--sunset",
      problem: "it ends an API that is not deprecated",
      fix: "Give --deprecation, too."
    })
  }
  const options: ServerOptions = {
    limits: { rate: Option.contains(flagValues.rateLimits, "off") ? "off" : flagValues.rateLimit },
    cors: { origins: flagValues.corsOrigin },
    trustProxy: flagValues.trustProxy,
    dataDir: flagValues.data,
    contract: flagValues.contract,
    ...flagValues.agents,
    accessTokenTtl: Setting.definedOnly({
      code: yield* seconds("--access-token-ttl-code", flagValues.codeTtl),
      refresh: yield* seconds("--access-token-ttl-refresh", flagValues.refreshTtl)
    }),
    refreshTokenTtl: Setting.definedOnly({ idle: yield* seconds("--refresh-token-ttl", flagValues.idleTtl) }),
    ...Setting.definedOnly({
      metrics: flagValues.metrics,
      deprecation: Option.map(flagValues.deprecation, (since) => ({
        since,
        ...Setting.definedOnly({ sunset: flagValues.sunset })
      })),
      ticketTtl: yield* seconds("--ticket-ttl", flagValues.ticketTtl),
      creditsPerTurn: flagValues.creditsPerTurn,
      overview: flagValues.overview,
      host: flagValues.host,
      port: flagValues.port,
      publicUrl: flagValues.publicUrl
    })
  }
  return options
})
