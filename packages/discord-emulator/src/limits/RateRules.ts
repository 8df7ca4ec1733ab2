import { dayMs } from "../settings/Clock.ts"

/** At most `limit` counts in a window that starts with the first one. */
export interface Rule {
  readonly limit: number
  readonly windowMs: number
}

/** The kinds of buckets; one exists per kind and major parameter (channel, guild or webhook token). */
export type BucketName =
  | "messages"
  | "oldEdit"
  | "delete"
  | "typing"
  | "reactions"
  | "threads"
  | "channel"
  | "rename"
  | "webhook"
  | "other"

/** How often an application may connect: `perDay` in all, and `concurrency` shards at once in each window. */
export interface StartRule {
  readonly perDay: number
  readonly concurrency: number
  readonly windowMs: number
}

/** All limits; an undefined one is off. */
export interface Limits {
  /** All requests of the application together. */
  readonly global: Rule | undefined
  readonly buckets: Readonly<Partial<Record<BucketName, Rule>>>
  /** Responses 401, 403 and 429 to one address before it is banned. */
  readonly invalidRequests: Rule | undefined
  /** What one gateway connection may send. */
  readonly gatewayEvents: Rule | undefined
  /** Requests for all members of a guild. */
  readonly allMembers: Rule | undefined
  readonly starts: StartRule | undefined
  /** New commands of a guild, or global ones; changes of a command do not count. */
  readonly commandCreates: Rule | undefined
}

/** A profile, with the limits that replace its own. */
export interface LimitOptions extends Partial<Omit<Limits, "buckets" | "starts">> {
  /** `discord` unless given. */
  readonly profile?: LimitProfile
  readonly buckets?: Limits["buckets"]
  readonly starts?: Partial<StartRule>
}

/** `discord` has Discord's limits, `fast` has none. */
export type LimitProfile = "discord" | "fast"

/** The limits of a profile with the changes made to it. */
export const limitsFrom = (options: LimitProfile | LimitOptions = "discord"): Limits => {
  const { buckets, profile = "discord", starts, ...rest } = typeof options === "string" ? { profile: options } : options
  const base = profile === "fast" ? fast : discord
  return {
    ...base,
    ...rest,
    buckets: { ...base.buckets, ...buckets },
    starts: starts === undefined ? base.starts : { ...discordStarts, ...starts }
  }
}

const discordStarts: StartRule = { perDay: 1000, concurrency: 1, windowMs: 5000 }

const fast: Limits = {
  global: undefined,
  buckets: {},
  invalidRequests: undefined,
  gatewayEvents: undefined,
  allMembers: undefined,
  starts: undefined,
  commandCreates: undefined
}

/**
 * Discord publishes the limits for all requests, for invalid requests and of the gateway. The buckets are observed
 * values.
 */
const discord: Limits = {
  // The window is a little short because clients count from sending, not from arriving.
  global: { limit: 50, windowMs: 950 },
  buckets: {
    // Sends and edits of a channel share one bucket.
    messages: { limit: 5, windowMs: 5000 },
    oldEdit: { limit: 3, windowMs: 6000 },
    delete: { limit: 5, windowMs: 1000 },
    typing: { limit: 5, windowMs: 5000 },
    reactions: { limit: 1, windowMs: 250 },
    threads: { limit: 50, windowMs: 300_000 },
    channel: { limit: 5, windowMs: 5000 },
    rename: { limit: 2, windowMs: 600_000 },
    webhook: { limit: 5, windowMs: 2000 },
    other: { limit: 50, windowMs: 1000 }
  },
  invalidRequests: { limit: 10_000, windowMs: 600_000 },
  gatewayEvents: { limit: 120, windowMs: 60_000 },
  allMembers: { limit: 1, windowMs: 30_000 },
  starts: discordStarts,
  commandCreates: { limit: 200, windowMs: dayMs }
}
