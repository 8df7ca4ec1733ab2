import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type { ContractOptions } from "./ContractOptions.ts"

/** The settings of a running service, complete and checked. */
export interface Settings {
  readonly host: string
  /** The port that is listened on, never 0. */
  readonly port: number
  /** The service's own address as others reach it, without a trailing slash. */
  readonly publicUrl: string
  readonly dataDir: string
  /** The ACP agent: program and arguments. */
  readonly agentCommand: ReadonlyArray<string>
  /** Names of environment variables that the agent gets beside PATH, HOME, LANG and TMPDIR, such as its API key's. */
  readonly agentEnvironment: ReadonlyArray<string>
  /** The local demo account that the sign-in page names and fills in; on loopback only. */
  readonly signInHint: SignInHint | undefined
  /** Life of a sandbox credential (decision 77). */
  readonly ticketTtl: Duration.Duration
  /** Life of an access token from a code exchange and from a refresh (decision 5). */
  readonly accessTokenTtl: { readonly code: Duration.Duration; readonly refresh: Duration.Duration }
  /** Idle and absolute life of a refresh token (decision 29). */
  readonly refreshTokenTtl: { readonly idle: Duration.Duration; readonly absolute: Duration.Duration }
  /** What a turn of a task costs its user; 0 counts nothing. */
  readonly creditsPerTurn: number
  /** What is done where the document leaves a choice. */
  readonly contract: ContractOptions
  readonly limits: Limits
}

export interface SignInHint {
  readonly name: string
  readonly password: string
}

/** Sizes in bytes, except `name` in code points (decision 26). */
export interface Limits {
  readonly prompt: number
  readonly name: number
  readonly body: number
}

/** The settings of this service. */
export class ServerConfig extends Context.Tag("@heddle/server/ServerConfig")<ServerConfig, Settings>() {}

/** The contract options where nothing else is set: the server column of the decision table. */
export const defaults = {
  agentEnvironment: ["HEDDLE_AGENT_PACE_MS"],
  ticketTtl: Duration.days(3),
  accessTokenTtl: { code: Duration.seconds(604_800), refresh: Duration.seconds(3600) },
  refreshTokenTtl: { idle: Duration.days(90), absolute: Duration.days(365) },
  creditsPerTurn: 1,
  limits: { prompt: 32 * 1024, name: 200, body: 1024 * 1024 }
} as const satisfies Partial<Settings>
