import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { BotStartError } from "./BotStartError.ts"

/** The options of a bot. */
export interface BotOptions {
  readonly discordToken: Redacted.Redacted
  /** A server with Discord's protocol, such as the emulator. */
  readonly discordApi?: string
  /** The base address of the service. */
  readonly baseUrl: string
  /** The bot as an OAuth application of the service; requested once, when the callback's address is known. */
  readonly application: (callbackUrl: string) => Effect.Effect<
    {
      readonly clientId: string
      readonly clientSecret: Redacted.Redacted
    },
    BotStartError
  >
  /** The path of token revocation under `baseUrl` (RFC 7009); without it, grants are only deleted. */
  readonly revocationPath?: string
  /** The bot's public address; its listening address by default. */
  readonly publicUrl?: string
  readonly host?: string
  /** 0 or absent: a free port. */
  readonly port?: number
  /** The encryption key of stored secrets: 32 bytes in base64 or hex. */
  readonly encryptionKey: Redacted.Redacted
  readonly dataDir: string
  /** The shortest time between two edits of a growing answer; 400 by default. Discord's limits always apply. */
  readonly editIntervalMs?: number
  /**
   * How long a person may take to answer the agent of a task where the service sets no limit. 290 seconds by default,
   * just less than services wait; at most a day. A local assistant's question that names no time stays open.
   */
  readonly answerDeadlineMs?: number
  /**
   * How long a task's channel with heartbeats may be silent; 45 seconds by default. One without heartbeats may be silent
   * for ever.
   */
  readonly channelSilenceMs?: number
  /**
   * What is done about a new task's prompt that the service neither runs nor confirms to hold: `auto`, the default, asks
   * the person; `send` sends it, for a service that never runs it.
   */
  readonly initialPrompt?: "auto" | "send"
  /**
   * Whether the service keeps idempotency keys, so that the bot may repeat a write whose answer was lost. `auto`, the
   * default: as the service's answers say.
   */
  readonly idempotencyKeys?: "auto" | boolean
  /** How long a working agent may say nothing before its thread tells that; 20 seconds by default. */
  readonly agentSilenceMs?: number
  /** How long messages wait for the end of a run that was not confirmed as stopped; a minute by default. */
  readonly stoppedRunMs?: number
  /**
   * How long a thread listens to its agent after an answer, and how often it looks afterwards whether the task is still at
   * work; two minutes by default.
   */
  readonly lateOutputMs?: number
  /** Calls to Discord per second; 45 by default, below Discord's own limit of 50. */
  readonly requestsPerSecond?: number
  /** The age from which a message is continued instead of edited; 55 minutes by default. */
  readonly rollAfterMs?: number
  /**
   * The gateway's longest silence before the bot is not ready; 52 seconds by default, since heartbeats are 41 seconds
   * apart.
   */
  readonly silentAfterMs?: number
  /** How long due work may make no progress before the bot is not ready; 45 seconds by default. */
  readonly stuckAfterMs?: number
}
