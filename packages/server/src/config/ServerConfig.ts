import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type { Agent } from "./AgentSettings.ts"
import type { ContractOptions } from "./ContractOptions.ts"

/** The settings of a running service, complete and checked. */
export interface Settings {
  readonly host: string
  /** The open port, never 0. */
  readonly port: number
  /** The URL of the service for others, without a trailing slash. */
  readonly publicUrl: string
  readonly dataDir: string
  /** The agents that tasks can have; the first is the default. */
  readonly agents: NonEmptyReadonlyArray<Agent>
  /** The local demo account that the sign-in page names and fills in; on loopback only. */
  readonly signInHint: SignInHint | undefined
  /** Life of a sandbox credential (contract decision 77). */
  readonly ticketTtl: Duration.Duration
  /** Life of an access token from a code exchange and from a refresh (contract decision 5). */
  readonly accessTokenTtl: { readonly code: Duration.Duration; readonly refresh: Duration.Duration }
  /** Idle and absolute life of a refresh token (contract decision 29). */
  readonly refreshTokenTtl: { readonly idle: Duration.Duration; readonly absolute: Duration.Duration }
  /** The credits that a turn of a task costs; 0 for none. */
  readonly creditsPerTurn: number
  /** Whether clients may name MCP servers for the agent. */
  readonly clientMcpServers: boolean
  /** How many agents run at once, and how many of these for one user. */
  readonly maxAgents: number
  readonly maxAgentsPerUser: number
  /** What an agent may write in one turn, and the size of a task's history from which on no turn begins, in bytes. */
  readonly maxTurnBytes: number
  readonly maxTaskBytes: number
  /** How long archived tasks are kept; undefined for ever. */
  readonly keepArchived: Duration.Duration | undefined
  /** The overview of a turn when its agent sends none. */
  readonly overview: "none" | "last-message"
  /** The decisions where the contract leaves a choice. */
  readonly contract: ContractOptions
  readonly limits: Limits
  /** The web origins whose pages may read answers, or `*`; none by default (contract decision 22). */
  readonly corsOrigins: ReadonlySet<string>
  readonly deprecation: Deprecation | undefined
  /** Who may read `/metrics`. */
  readonly metrics: "loopback" | "everyone" | "off"
  /** Whether the caller's address is the one that a reverse proxy appended to `X-Forwarded-For`. */
  readonly trustProxy: boolean
}

export interface SignInHint {
  readonly name: string
  readonly password: string
}

/**
 * Sizes in bytes, except `name` in code points (contract decision 26), and the rate limits (contract decision 17).
 */
export interface Limits {
  readonly prompt: number
  readonly name: number
  /** The content of a message to the local assistant. */
  readonly content: number
  readonly body: number
  readonly rate: Rates | "off"
}

/** A rate limit: this many requests within this many seconds, in any distribution. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
}

/** The rate limits by the caller they apply to. */
export interface Rates {
  /** All requests from one address. */
  readonly address: Rate
  /** All requests with one application's tokens. */
  readonly application: Rate
  /** All requests of one user through one application. */
  readonly user: Rate
  /** Each of the writing endpoints, for one user through one application. */
  readonly write: Rate
  /** Token requests from one address. */
  readonly token: Rate
  /** Token requests of one application from one address that failed. */
  readonly tokenFailure: Rate
  /** The pages for people, for one address. */
  readonly authorize: Rate
  /** All requests of one local assistant. */
  readonly assistant: Rate
  /** Phone numbers compared for one user through one application (contract decision 57). */
  readonly phone: Rate
}

/** A date from which the API is deprecated, and one on which it ends (contract decision 27). */
export interface Deprecation {
  readonly since: Date
  readonly sunset: Date | undefined
}

/** The settings of this service. */
export class ServerConfig extends Context.Tag("@heddle/server/config/ServerConfig")<ServerConfig, Settings>() {}

/** The contract options where nothing else is set: the server column of the decision table. */
export const defaults = {
  ticketTtl: Duration.days(3),
  accessTokenTtl: { code: Duration.seconds(604_800), refresh: Duration.seconds(3600) },
  refreshTokenTtl: { idle: Duration.days(90), absolute: Duration.days(365) },
  creditsPerTurn: 1,
  maxAgents: 64,
  maxAgentsPerUser: 8,
  maxTurnBytes: 64 * 1024 * 1024,
  maxTaskBytes: 512 * 1024 * 1024,
  limits: {
    prompt: 32 * 1024,
    name: 200,
    content: 32 * 1024,
    body: 1024 * 1024,
    // Far above the needs of people and a busy bot, below the load that slows the service.
    rate: {
      address: { requests: 12_000, seconds: 60 },
      application: { requests: 12_000, seconds: 60 },
      user: { requests: 1200, seconds: 60 },
      write: { requests: 300, seconds: 60 },
      token: { requests: 1200, seconds: 60 },
      tokenFailure: { requests: 60, seconds: 600 },
      authorize: { requests: 600, seconds: 60 },
      assistant: { requests: 1200, seconds: 60 },
      phone: { requests: 10, seconds: 3600 }
    }
  }
} as const satisfies Partial<Settings>
