import { type Clock, systemClock } from "./Clock.ts"
import { type LimitOptions, type LimitProfile, type Limits, limitsFrom } from "../limits/RateRules.ts"
import { isLocale, locales } from "../validate/Localizations.ts"

/** The options of an emulator; each has a default. */
export interface EmulatorOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number
  /** The address to listen on; 127.0.0.1 unless given. */
  readonly host?: string
  /** The data folder; everything stays in memory unless given. */
  readonly data?: string
  /** `discord` (default) has Discord's rate limits, `fast` has none; or a profile with single limits changed. */
  readonly limits?: LimitProfile | LimitOptions
  readonly botName?: string
  readonly guildName?: string
  readonly channelName?: string
  /** User names; the first is the default person and owns the guild. */
  readonly users?: ReadonlyArray<string>
  /** The locale of people's clients and of the guild, such as `zh-CN` (`en-US`). */
  readonly locale?: string
  /** The languages of people's clients by user name. */
  readonly locales?: Readonly<Record<string, string>>
  /** The preferred locale of the guild. */
  readonly guildLocale?: string
  /** How long an application has for its first response, in milliseconds (3000). */
  readonly interactionMs?: number
  /** How often a client has to send a heartbeat, in milliseconds (41250). */
  readonly heartbeatMs?: number
  /** Privileged intents that were not granted: an IDENTIFY with one of them is closed with 4014. */
  readonly refusedIntents?: number
  /** The permissions the bot was invited with, as a decimal text or number; everything unless given. */
  readonly botPermissions?: string | bigint
  /** The clock; the system clock unless given. A test advances the one of `manualClock()`. */
  readonly clock?: Clock
  /** How many shards `GET /gateway/bot` recommends (1); connecting with fewer is closed with 4011. */
  readonly shards?: number
  /** Decides which of the faults with a probability hit (1). */
  readonly seed?: number
  /** Where warnings go, one line each; standard error unless given. */
  readonly log?: (line: string) => void
}

/** The options with every default filled in. */
export interface Settings {
  readonly port: number
  readonly host: string
  readonly data: string | undefined
  readonly limits: Limits
  readonly botName: string
  readonly guildName: string
  readonly channelName: string
  readonly users: ReadonlyArray<string>
  readonly locales: Readonly<Record<string, string>>
  readonly locale: string
  readonly guildLocale: string
  readonly interactionMs: number
  readonly heartbeatMs: number
  readonly refusedIntents: number
  readonly botPermissions: bigint | undefined
  readonly clock: Clock
  readonly shards: number
  readonly seed: number
  readonly log: (line: string) => void
}

/** A setting that cannot work: the problem and the fix, in one line. */
export class SettingsError extends Error {
  override readonly name = "SettingsError"
}

/** Fills in the defaults; throws `SettingsError` on values that cannot work. */
export const settingsFrom = (options: EmulatorOptions): Settings => {
  const port = options.port ?? 0
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new SettingsError(`port must be a whole number from 0 to 65535, not ${port}`)
  const users = options.users ?? ["You", "Sam"]
  if (users.length === 0 || users.some((name) => name.trim() === ""))
    throw new SettingsError("users must name at least one person")
  const unknownLocale = [options.locale, options.guildLocale, ...Object.values(options.locales ?? {})].find(
    (locale) => locale !== undefined && !isLocale(locale)
  )
  if (unknownLocale !== undefined)
    throw new SettingsError(`locale must be one of Discord's (${[...locales].join(", ")}), not ${unknownLocale}`)
  return {
    port,
    host: options.host ?? "127.0.0.1",
    data: options.data,
    limits: limitsFrom(options.limits),
    botName: options.botName ?? "Bot",
    guildName: options.guildName ?? "Local server",
    channelName: options.channelName ?? "general",
    users,
    locales: options.locales ?? {},
    locale: options.locale ?? "en-US",
    guildLocale: options.guildLocale ?? options.locale ?? "en-US",
    interactionMs: options.interactionMs ?? 3000,
    heartbeatMs: options.heartbeatMs ?? 41_250,
    refusedIntents: options.refusedIntents ?? 0,
    botPermissions: options.botPermissions === undefined ? undefined : readPermissions(options.botPermissions),
    clock: options.clock ?? systemClock,
    shards: options.shards ?? 1,
    seed: options.seed ?? 1,
    log: options.log ?? ((line) => process.stderr.write(`${line}\n`))
  }
}

const readPermissions = (value: string | bigint): bigint => {
  if (/^\d{1,19}$/.test(String(value))) return BigInt(value)
  throw new SettingsError(`botPermissions must be a decimal number, not ${String(value)}`)
}
