import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as AgentOptions from "./AgentOptions.ts"
import * as ContractOptions from "./ContractOptions.ts"
import * as Loopback from "../internal/Loopback.ts"
import * as ServerConfig from "./ServerConfig.ts"
import { ServerStartError } from "./ServerStartError.ts"

/** The options of a server; all but the data folder have a default. */
export interface ServerOptions {
  /** The address to listen on; this machine only by default. */
  readonly host?: string
  /** 4310 by default; 0 picks a free port. */
  readonly port?: number
  readonly dataDir: string
  /** How others reach the service; by default `http://{host}:{port}`. */
  readonly publicUrl?: string
  /** The agents that tasks can have, the default first; by default one, the demo agent of the checkout. */
  readonly agents?: ReadonlyArray<AgentOptions.AgentOptions>
  /** An account that the sign-in page fills in; only with a loopback host. */
  readonly signInHint?: ServerConfig.SignInHint
  readonly ticketTtl?: Duration.DurationInput
  readonly accessTokenTtl?: { readonly code?: Duration.DurationInput; readonly refresh?: Duration.DurationInput }
  readonly refreshTokenTtl?: { readonly idle?: Duration.DurationInput; readonly absolute?: Duration.DurationInput }
  /** The credits that a turn of a task costs: 1 by default, 0 for none. Users who never had credits pay nothing. */
  readonly creditsPerTurn?: number
  /** Whether clients may name MCP servers for the agent, which start in its sandbox; not by default. */
  readonly clientMcpServers?: boolean
  /** How many agents run at once, 64 by default; one that rests ends for another one, and comes back with its session. */
  readonly maxAgents?: number
  /** How many of these work for tasks of one user; 8 by default. */
  readonly maxAgentsPerUser?: number
  /** The MiB of history that an agent may write in one turn; 64 by default. */
  readonly maxTurnHistory?: number
  /** The MiB of history from which on no turn of a task begins; 512 by default. */
  readonly maxTaskHistory?: number
  /** The days after which an archived task is deleted; by default never. */
  readonly keepArchivedDays?: number
  /** The overview of a turn when its agent sends none: nothing by default, or the agent's last message. */
  readonly overview?: ServerConfig.Settings["overview"]
  readonly contract?: Partial<ContractOptions.ContractOptions>
  readonly limits?: Partial<Omit<ServerConfig.Limits, "rate">> & {
    /** Single rates to change, or `off` for none at all. */
    readonly rate?: Partial<ServerConfig.Rates> | "off"
  }
  /** The web origins whose pages may read answers, like `https://app.example.com`, or `*`; none by default. */
  readonly cors?: { readonly origins: ReadonlyArray<string> }
  /** When the API is deprecated and when it ends, sent in headers (contract decision 27). */
  readonly deprecation?: { readonly since: Date; readonly sunset?: Date }
  /** Who may read `/metrics`: this machine only by default. */
  readonly metrics?: ServerConfig.Settings["metrics"]
  /** Take the caller's address from `X-Forwarded-For`; only behind a reverse proxy that sets it. */
  readonly trustProxy?: boolean
}

/** Checks the options; `withPort` makes the settings from the actual port. */
export const settings = (
  options: ServerOptions
): Effect.Effect<
  { readonly host: string; readonly port: number; readonly withPort: (port: number) => ServerConfig.Settings },
  ServerStartError
> =>
  Effect.gen(function* () {
    const host = options.host ?? "127.0.0.1"
    const port = options.port ?? 4310
    const { defaults } = ServerConfig
    if (host === "")
      return yield* invalidOption("--host", "it is empty", "Leave it out for this machine only, or name an address.")
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      return yield* invalidOption("--port", `${port} is no port`, "Choose one from 1 to 65535, or 0 for any free one.")
    }
    if (options.signInHint !== undefined && !Loopback.isLoopback(host)) {
      return yield* invalidOption(
        "signInHint",
        `the host ${host} is not this machine only`,
        "Leave it out, or listen on 127.0.0.1."
      )
    }
    const agents = yield* AgentOptions.settings(options.agents ?? [])
    const creditsPerTurn = options.creditsPerTurn ?? defaults.creditsPerTurn
    if (!Number.isSafeInteger(creditsPerTurn) || creditsPerTurn < 0) {
      return yield* invalidOption(
        "--credits-per-turn",
        `${creditsPerTurn} is no whole number from 0`,
        "0 counts nothing."
      )
    }
    const maxAgents = yield* checkCount("--max-agents", options.maxAgents ?? defaults.maxAgents)
    const maxAgentsPerUser = yield* checkCount(
      "--max-agents-per-user",
      options.maxAgentsPerUser ?? defaults.maxAgentsPerUser
    )
    const maxTurnBytes = yield* checkSize("--max-turn-history", options.maxTurnHistory, defaults.maxTurnBytes)
    const maxTaskBytes = yield* checkSize("--max-task-history", options.maxTaskHistory, defaults.maxTaskBytes)
    const { keepArchivedDays } = options
    if (keepArchivedDays !== undefined) yield* checkCount("--keep-archived-days", keepArchivedDays)
    const publicUrl = yield* checkPublicUrl(options.publicUrl, host)
    const corsOrigins = yield* checkOrigins(options.cors?.origins ?? [])
    const limits = yield* checkLimits(options.limits ?? {})
    const deprecation = yield* checkDeprecation(options.deprecation)
    const withPort = (actualPort: number): ServerConfig.Settings => ({
      host,
      port: actualPort,
      publicUrl: publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`,
      dataDir: options.dataDir,
      agents,
      signInHint: options.signInHint,
      ticketTtl: Duration.decode(options.ticketTtl ?? defaults.ticketTtl),
      accessTokenTtl: {
        code: Duration.decode(options.accessTokenTtl?.code ?? defaults.accessTokenTtl.code),
        refresh: Duration.decode(options.accessTokenTtl?.refresh ?? defaults.accessTokenTtl.refresh)
      },
      refreshTokenTtl: {
        idle: Duration.decode(options.refreshTokenTtl?.idle ?? defaults.refreshTokenTtl.idle),
        absolute: Duration.decode(options.refreshTokenTtl?.absolute ?? defaults.refreshTokenTtl.absolute)
      },
      creditsPerTurn,
      clientMcpServers: options.clientMcpServers ?? false,
      maxAgents,
      maxAgentsPerUser,
      maxTurnBytes,
      maxTaskBytes,
      keepArchived: keepArchivedDays === undefined ? undefined : Duration.days(keepArchivedDays),
      overview: options.overview ?? "none",
      contract: ContractOptions.complete(options.contract ?? {}),
      limits,
      corsOrigins,
      deprecation,
      metrics: options.metrics ?? "loopback",
      trustProxy: options.trustProxy ?? false
    })
    return { host, port, withPort }
  })

const checkCount = (setting: string, count: number): Effect.Effect<number, ServerStartError> =>
  Number.isSafeInteger(count) && count >= 1
    ? Effect.succeed(count)
    : invalidOption(setting, `${count} is no whole number from 1`, "Give a whole number from 1.")

/** The bytes of a size in MiB. */
const checkSize = (setting: string, size: number | undefined, defaultBytes: number) =>
  size === undefined
    ? Effect.succeed(defaultBytes)
    : Effect.map(checkCount(setting, size), (mebibytes) => mebibytes * 1024 * 1024)

const checkPublicUrl = (
  text: string | undefined,
  host: string
): Effect.Effect<string | undefined, ServerStartError> => {
  const bindsAllAddresses = host === "0.0.0.0" || host === "::"
  if (text === undefined) {
    return bindsAllAddresses
      ? invalidOption(
          "--public-url",
          `it is missing, and ${host} is no address to connect to`,
          "Say how others reach this service."
        )
      : Effect.succeed(undefined)
  }
  const fix = "Give an address like https://tasks.example.com, without query or fragment."
  if (!URL.canParse(text)) return invalidOption("--public-url", `${JSON.stringify(text)} is no URL`, fix)
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return invalidOption("--public-url", `${JSON.stringify(text)} is no http or https address`, fix)
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    return invalidOption("--public-url", "it has more than an address and a path", fix)
  }
  return Effect.succeed(url.href.replace(/\/+$/, ""))
}

const checkOrigins = (origins: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>, ServerStartError> => {
  const invalidEntry = origins.find(
    (origin) =>
      origin !== "*" && !(/^https?:\/\//.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin)
  )
  return invalidEntry === undefined
    ? Effect.succeed(new Set(origins))
    : invalidOption(
        "--cors-origin",
        `${JSON.stringify(invalidEntry)} is no origin`,
        "Give one like https://app.example.com, or *."
      )
}

const checkLimits = (
  overrides: NonNullable<ServerOptions["limits"]>
): Effect.Effect<ServerConfig.Limits, ServerStartError> => {
  const { defaults } = ServerConfig
  const rate = overrides.rate === "off" ? overrides.rate : { ...defaults.limits.rate, ...overrides.rate }
  const invalidEntry =
    rate === "off"
      ? undefined
      : Object.entries(rate).find(([, { requests, seconds }]) => ![requests, seconds].every((n) => n >= 1 && n < 1e9))
  return invalidEntry === undefined
    ? Effect.succeed({ ...defaults.limits, ...overrides, rate })
    : invalidOption(
        "--rate-limit",
        `${invalidEntry[0]} is no rate`,
        "Give a number of requests and of seconds, like user=1200/60."
      )
}

const checkDeprecation = (
  overrides: ServerOptions["deprecation"]
): Effect.Effect<ServerConfig.Deprecation | undefined, ServerStartError> => {
  if (overrides === undefined) return Effect.succeed(undefined)
  const { since, sunset } = overrides
  if (Number.isNaN(since.getTime()) || (sunset !== undefined && Number.isNaN(sunset.getTime()))) {
    return invalidOption("--deprecation", "it is no date", "Give one like 2027-01-31.")
  }
  return sunset !== undefined && sunset < since
    ? invalidOption("--sunset", "it is before the deprecation", "Give a date from the deprecation on.")
    : Effect.succeed({ since, sunset })
}

const invalidOption = (setting: string, problem: string, fix: string): Effect.Effect<never, ServerStartError> =>
  Effect.fail(new ServerStartError({ setting, problem, fix }))
