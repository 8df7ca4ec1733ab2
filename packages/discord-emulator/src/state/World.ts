import type { APIApplicationCommand } from "discord-api-types/v10"
import { type Clock, systemClock } from "../settings/Clock.ts"
import type {
  Change,
  Realm,
  StoredAttachment,
  StoredChannel,
  StoredInteraction,
  StoredMember,
  StoredMessage,
  StoredRole,
  StoredUser,
  StoredWebhook
} from "../model/Records.ts"
import { MessageKind, Permission } from "../model/Constants.ts"
import { compareIds, Snowflakes, timeOf } from "../model/Snowflake.ts"

/** A change just made, with the record it replaced or removed. */
export interface Committed {
  readonly change: Change
  readonly before?: StoredRecord | ReadonlyArray<StoredMessage>
}

type StoredRecord =
  | Realm
  | StoredChannel
  | StoredMessage
  | StoredUser
  | StoredInteraction
  | StoredMember
  | StoredRole
  | StoredWebhook

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
  readonly ids: Snowflakes
  readonly clock: Clock
  readonly users = new Map<string, StoredUser>()
  /** By user id; users without an entry left the guild. */
  readonly members = new Map<string, StoredMember>()
  readonly roles = new Map<string, StoredRole>()
  readonly webhooks = new Map<string, StoredWebhook>()
  readonly channels = new Map<string, StoredChannel>()
  readonly interactions = new Map<string, StoredInteraction>()
  readonly #messages = new Map<string, Map<string, StoredMessage>>()
  /** By thread: how many messages it has and how many were deleted, without the one that it began with. */
  readonly #counts = new Map<string, { readonly present: number; readonly deleted: number }>()
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

  constructor(history: Iterable<Change>, append: (change: Change) => void, clock: Clock = systemClock) {
    this.clock = clock
    this.ids = new Snowflakes(clock.now)
    for (const change of history) this.#newest = committedOf(change, this.#apply(change))
    this.#append = append
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

  /** The moment now, as Discord writes it. */
  timestamp(): string {
    return new Date(this.clock.now()).toISOString()
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

  /** How many messages a thread has, and how many it ever had: those that everybody sees, without its first. */
  messageCounts(channelId: string): { readonly present: number; readonly ever: number } {
    const { deleted, present } = this.#counts.get(channelId) ?? noMessages
    return { present, ever: present + deleted }
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
    if (id === undefined || this.clock.now() - timeOf(id) > nonceMs) return undefined
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
    for (const value of this.roles.values()) yield { kind: "role", value }
    for (const value of this.users.values()) {
      yield { kind: "user", value }
      const member = this.members.get(value.id)
      yield member === undefined ? { kind: "member_gone", id: value.id } : { kind: "member", value: member }
    }
    for (const value of this.webhooks.values()) yield { kind: "webhook", value }
    for (const value of this.channels.values()) {
      const deletedMessages = this.#counts.get(value.id)?.deleted ?? 0
      yield { kind: "channel", value: deletedMessages === 0 ? value : { ...value, deletedMessages } }
    }
    for (const [guildId, value] of this.#commands) yield { kind: "commands", guildId, value }
    for (const messages of this.#messages.values())
      for (const value of messages.values()) yield { kind: "message", value }
    for (const value of this.interactions.values()) yield { kind: "interaction", value }
  }

  #apply(change: Change): Committed["before"] {
    switch (change.kind) {
      case "realm": {
        const before = this.#realm
        this.#realm = change.value
        this.ids.seen(change.value.channelId)
        for (const role of rolesOf(change.value)) if (!this.roles.has(role.id)) this.#put(this.roles, role)
        return before
      }
      case "user": {
        const { id } = change.value
        if (!this.users.has(id) && !this.members.has(id)) this.members.set(id, newMember(this.realm, id))
        return this.#put(this.users, change.value)
      }
      case "member":
        return this.#put(this.members, change.value)
      case "member_gone":
        return take(this.members, change.id)
      case "role":
        return this.#put(this.roles, change.value)
      case "role_gone":
        return take(this.roles, change.id)
      case "webhook":
        return this.#put(this.webhooks, change.value)
      case "webhook_gone":
        return take(this.webhooks, change.id)
      case "channel": {
        const { deletedMessages = 0, id } = change.value
        const counts = this.#counts.get(id) ?? noMessages
        if (deletedMessages > counts.deleted) this.#counts.set(id, { ...counts, deleted: deletedMessages })
        return this.#put(this.channels, change.value)
      }
      case "channel_gone": {
        this.#messages.delete(change.id)
        this.#counts.delete(change.id)
        return take(this.channels, change.id)
      }
      case "message": {
        const { value } = change
        const inChannel = this.#messages.get(value.channelId) ?? new Map<string, StoredMessage>()
        this.#messages.set(value.channelId, inChannel)
        if (value.nonce !== undefined && value.enforceNonce === true) {
          this.#nonces.set(`${value.channelId}:${value.authorId}:${value.nonce}`, value.id)
          dropOldest(this.#nonces, (id) => this.clock.now() - timeOf(id) > nonceMs)
        }
        for (const file of filesOf(value)) this.#attachmentTypes.set(file.id, file.contentType)
        if (!inChannel.has(value.id)) this.#count(value, 1)
        return this.#put(inChannel, value)
      }
      case "message_gone":
        return this.#remove(change.channelId, change.id)
      case "messages_gone":
        return change.ids.flatMap((id) => this.#remove(change.channelId, id) ?? [])
      case "commands":
        this.#commands.set(change.guildId, change.value)
        return undefined
      case "interaction": {
        this.#byToken.set(change.value.token, change.value.id)
        const before = this.#put(this.interactions, change.value)
        dropOldest(this.interactions, (kept) => this.clock.now() - kept.createdAt > 2 * tokenMs)
        dropOldest(this.#byToken, (id) => !this.interactions.has(id))
        return before
      }
    }
  }

  #remove(channelId: string, id: string): StoredMessage | undefined {
    const before = take(this.#messages.get(channelId) ?? new Map<string, StoredMessage>(), id)
    if (before === undefined) return undefined
    for (const file of filesOf(before)) this.#attachmentTypes.delete(file.id)
    this.#count(before, -1)
    return before
  }

  #count({ channelId, id, type, visibleTo }: StoredMessage, one: 1 | -1): void {
    if (visibleTo !== undefined || id === channelId || type === MessageKind.threadStarter) return
    const { deleted, present } = this.#counts.get(channelId) ?? noMessages
    this.#counts.set(channelId, { present: present + one, deleted: one > 0 ? deleted : deleted + 1 })
  }

  #put<A extends { readonly id: string }>(into: Map<string, A>, value: A): A | undefined {
    const before = into.get(value.id)
    into.set(value.id, value)
    this.ids.seen(value.id)
    return before
  }
}

/** The two roles that every guild of a bot has from the start. */
const rolesOf = (realm: Realm): ReadonlyArray<StoredRole> => [
  { ...plainRole, id: realm.everyoneRoleId, name: "@everyone", permissions: Permission.everyone, position: 0 },
  // It bears the name of the bot, which comes later.
  { ...plainRole, id: realm.botRoleId, name: "", permissions: Permission.all, position: 1, managed: true }
]

const plainRole = { color: 0, hoist: false, mentionable: false, managed: false }

const newMember = (realm: Realm, id: string): StoredMember => ({
  id,
  nick: null,
  roleIds: id === realm.botId ? [realm.botRoleId] : [],
  joinedAt: new Date(timeOf(id)).toISOString(),
  timeoutUntil: null
})

const noMessages = { present: 0, deleted: 0 } as const

/** The files of a message and of what it forwards. */
const filesOf = ({ attachments, snapshot }: StoredMessage): ReadonlyArray<StoredAttachment> => [
  ...attachments,
  ...(snapshot?.attachments ?? [])
]

const take = <A>(from: Map<string, A>, id: string): A | undefined => {
  const before = from.get(id)
  from.delete(id)
  return before
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
