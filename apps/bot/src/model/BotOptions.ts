import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { BotStartError } from "./BotStartError.ts"

/** What a bot needs to run. */
export interface BotOptions {
  readonly discordToken: Redacted.Redacted
  /** Another server that speaks Discord's protocol, such as the emulator. */
  readonly discordApi?: string
  /** The base address of the service. */
  readonly baseUrl: string
  /** The bot as an application of the service; asked once, when the address of its callback is known. */
  readonly application: (callbackUrl: string) => Effect.Effect<
    {
      readonly clientId: string
      readonly clientSecret: Redacted.Redacted
    },
    BotStartError
  >
  /** The path under `baseUrl` where the service takes tokens back (RFC 7009); without it, grants are only forgotten. */
  readonly revocationPath?: string
  /** Where browsers reach this bot; without it, where it listens. */
  readonly publicUrl?: string
  readonly host?: string
  /** 0 or nothing: a free port. */
  readonly port?: number
  /** 32 bytes in base64 or hex, with which secrets are stored. */
  readonly encryptionKey: Redacted.Redacted
  readonly dataDir: string
  /** The least time between two edits of a growing answer; 400 without it. Discord's limits are kept in any case. */
  readonly editIntervalMs?: number
  /** How long a person has to answer what the agent asks; 290 seconds without it, just less than services wait. */
  readonly answerDeadlineMs?: number
  /** Calls to Discord in any second; 45 without it, which leaves room below Discord's own limit of 50. */
  readonly requestsPerSecond?: number
  /** The age from which a message is not edited any more but another one goes on; 55 minutes without it. */
  readonly rollAfterMs?: number
  /**
   * How long Discord's gateway may show no life until the bot is not ready; 52 seconds without it, since heartbeats are
   * 41 seconds apart.
   */
  readonly silentAfterMs?: number
  /** How long what has to get on may stand still until the bot is not ready; 45 seconds without it. */
  readonly stuckAfterMs?: number
}
