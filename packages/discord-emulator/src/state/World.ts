import type { APIApplicationCommand } from "discord-api-types/v10"
import type { Change, Realm, StoredChannel, StoredInteraction, StoredMessage, StoredUser } from "./Model.ts"
import { compareIds, Snowflakes, timeOf } from "./Snowflake.ts"

/** A change just made, with the record it replaced or removed. */
export interface Committed {
  readonly change: Change
  readonly before?: StoredChannel | StoredMessage | StoredUser | StoredInteraction
}

/** Which part of a channel's history to give; at most `limit` messages. */
export interface Window {
  readonly before?: string
  readonly after?: string
  readonly around?: string
  readonly limit: number
}

/** How long a nonce is remembered. */
const nonceMs = 5 * 60_000
/** How long an interaction token works. */
export const tokenMs = 15 * 60_000

/**
 * Everything that exists, as maps that only `commit` changes.
 * Every commit goes to the log first, then to the listeners, in order.
 */
export class World {
  readonly ids = new Snowflakes()
  readonly users = new Map<string, StoredUser>()
  readonly channels = new Map<string, StoredChannel>()
  readonly interactions = new Map<string, StoredInteraction>()
  readonly #messages = new Map<string, Map<string, StoredMessage>>()
  readonly #commands = new Map<string | null, ReadonlyArray<APIApplicationCommand>>()
  readonly #attachmentTypes = new Map<string, string>()
  readonly #nonces = new Map<string, string>()
  readonly #byToken = new Map<string, string>()
  readonly #listeners = new Set<(committed: Committed) => void>()
  readonly #append: (change: Change) => void
  #realm: Realm | undefined
  #newest: Committed | undefined

  /** The media type of a file that a message has. */
  readonly attachmentType = (id: string): string | undefined => this.#attachmentTypes.get(id)

  constructor(history: Iterable<Change>, append: (change: Change) => void) {
    for (const change of history) this.#newest = committedOf(change, this.#apply(change))
    this.#append = append
  }

  get isEmpty(): boolean {
    return this.#realm === undefined
  }

  get realm(): Realm {
    if (this.#realm === undefined) throw new Error("the world has no guild yet")
    return this.#realm
  }

  /** The change made last, also when that was in an earlier run. */
  get newest(): Committed | undefined {
    return this.#newest
  }

  commit(change: Change): void {
    this.#append(change)
    const committed = committedOf(change, this.#apply(change))
    this.#newest = committed
    for (const listener of this.#listeners) listener(committed)
  }

  listen(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  message(channelId: string, id: string): StoredMessage | undefined {
    return this.#messages.get(channelId)?.get(id)
  }

  /** All messages of a channel, oldest first. */
  messagesIn(channelId: string): ReadonlyArray<StoredMessage> {
    return [...(this.#messages.get(channelId)?.values() ?? [])]
  }

  messageCount(channelId: string): number {
    return this.#messages.get(channelId)?.size ?? 0
  }

  /** A part of a channel's history as `viewerId` sees it, oldest first. */
  history(channelId: string, window: Window, sees: (message: StoredMessage) => boolean): ReadonlyArray<StoredMessage> {
    const visible = this.messagesIn(channelId).filter(sees)
    const { after, around, before, limit } = window
    if (around !== undefined) {
      const at = visible.findIndex((message) => compareIds(message.id, around) >= 0)
      const start = Math.max(0, (at < 0 ? visible.length : at) - Math.floor(limit / 2))
      return visible.slice(start, start + limit)
    }
    if (after !== undefined) return visible.filter((message) => compareIds(message.id, after) > 0).slice(0, limit)
    const older = before === undefined ? visible : visible.filter((message) => compareIds(message.id, before) < 0)
    return older.slice(Math.max(0, older.length - limit))
  }

  lastMessageId(channelId: string): string | null {
    const publicOnes = this.messagesIn(channelId).filter((message) => message.visibleTo === undefined)
    return publicOnes[publicOnes.length - 1]?.id ?? null
  }

  /** The message that a repeated send with the same nonce means, while it is remembered. */
  byNonce(channelId: string, authorId: string, nonce: string | number): StoredMessage | undefined {
    const id = this.#nonces.get(`${channelId}:${authorId}:${nonce}`)
    if (id === undefined || Date.now() - timeOf(id) > nonceMs) return undefined
    return this.message(channelId, id)
  }

  commands(guildId: string | null): ReadonlyArray<APIApplicationCommand> {
    return this.#commands.get(guildId) ?? []
  }

  interactionByToken(token: string): StoredInteraction | undefined {
    const id = this.#byToken.get(token)
    return id === undefined ? undefined : this.interactions.get(id)
  }

  /** The fewest changes that make this state again. */
  *snapshot(): Iterable<Change> {
    yield { kind: "realm", value: this.realm }
    for (const value of this.users.values()) yield { kind: "user", value }
    for (const value of this.channels.values()) yield { kind: "channel", value }
    for (const [guildId, value] of this.#commands) yield { kind: "commands", guildId, value }
    for (const messages of this.#messages.values())
      for (const value of messages.values()) yield { kind: "message", value }
    for (const value of this.interactions.values()) yield { kind: "interaction", value }
  }

  #apply(change: Change): Committed["before"] {
    switch (change.kind) {
      case "realm":
        this.#realm = change.value
        this.ids.seen(change.value.channelId)
        return undefined
      case "user":
        return this.#put(this.users, change.value)
      case "channel":
        return this.#put(this.channels, change.value)
      case "channel_gone": {
        const before = this.channels.get(change.id)
        this.channels.delete(change.id)
        this.#messages.delete(change.id)
        return before
      }
      case "message": {
        const { value } = change
        const inChannel = this.#messages.get(value.channelId) ?? new Map<string, StoredMessage>()
        this.#messages.set(value.channelId, inChannel)
        if (value.nonce !== undefined && value.enforceNonce === true) {
          this.#nonces.set(`${value.channelId}:${value.authorId}:${value.nonce}`, value.id)
          dropOldest(this.#nonces, (id) => Date.now() - timeOf(id) > nonceMs)
        }
        for (const file of value.attachments) this.#attachmentTypes.set(file.id, file.contentType)
        return this.#put(inChannel, value)
      }
      case "message_gone": {
        const before = this.message(change.channelId, change.id)
        this.#messages.get(change.channelId)?.delete(change.id)
        for (const file of before?.attachments ?? []) this.#attachmentTypes.delete(file.id)
        return before
      }
      case "commands":
        this.#commands.set(change.guildId, change.value)
        return undefined
      case "interaction": {
        this.#byToken.set(change.value.token, change.value.id)
        const before = this.#put(this.interactions, change.value)
        dropOldest(this.interactions, (kept) => Date.now() - kept.createdAt > 2 * tokenMs)
        dropOldest(this.#byToken, (id) => !this.interactions.has(id))
        return before
      }
    }
  }

  #put<A extends { readonly id: string }>(into: Map<string, A>, value: A): A | undefined {
    const before = into.get(value.id)
    into.set(value.id, value)
    this.ids.seen(value.id)
    return before
  }
}

const committedOf = (change: Change, before: Committed["before"]): Committed =>
  before === undefined ? { change } : { change, before }

/** Maps keep insertion order, so the stale entries are at the front. */
const dropOldest = <A>(map: Map<string, A>, stale: (value: A) => boolean): void => {
  for (const [key, value] of map) {
    if (!stale(value)) return
    map.delete(key)
  }
}
