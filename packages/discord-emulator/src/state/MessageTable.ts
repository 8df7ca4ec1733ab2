import type { Clock } from "../settings/Clock.ts"
import type { StoredAttachment, StoredMessage } from "../model/Records.ts"
import { MessageKind } from "../model/Constants.ts"
import { compareIds, timeOf } from "../model/Snowflake.ts"
import { dropOldest, put, removeFrom } from "./Maps.ts"

/** Which part of a channel's history to return; at most `limit` messages. */
interface HistoryQuery {
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly around?: string | undefined
  readonly limit: number
}

/** How long a nonce is remembered, in milliseconds. */
const nonceMs = 5 * 60_000

const noMessages = { current: 0, deleted: 0 } as const

/** The messages of all channels, with indexes by nonce and attachment. */
export class MessageTable {
  readonly #clock: Clock
  readonly #channels = new Map<string, Map<string, StoredMessage>>()
  /** Message counts by thread, without the thread's first message. */
  readonly #counts = new Map<string, { readonly current: number; readonly deleted: number }>()
  readonly #attachmentTypes = new Map<string, string>()
  readonly #nonces = new Map<string, string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(channelId: string, id: string): StoredMessage | undefined {
    return this.#channels.get(channelId)?.get(id)
  }

  /** All messages of a channel, oldest first. */
  in(channelId: string): ReadonlyArray<StoredMessage> {
    return [...(this.#channels.get(channelId)?.values() ?? [])]
  }

  /** The messages of all channels. */
  *all(): Iterable<StoredMessage> {
    for (const messages of this.#channels.values()) yield* messages.values()
  }

  /** How many public messages a thread has and ever had, without its first message. */
  counts(channelId: string): { readonly current: number; readonly total: number; readonly deleted: number } {
    const { deleted, current } = this.#counts.get(channelId) ?? noMessages
    return { current, deleted, total: current + deleted }
  }

  /** The part of a channel's history that passes `isVisible`, oldest first. */
  history(
    channelId: string,
    query: HistoryQuery,
    isVisible: (message: StoredMessage) => boolean
  ): ReadonlyArray<StoredMessage> {
    return selectHistory(this.in(channelId).filter(isVisible), query)
  }

  /** The newest public message of a channel. */
  lastId(channelId: string): string | null {
    return this.in(channelId).findLast((message) => message.visibleTo === undefined)?.id ?? null
  }

  /** The message that an earlier send with the same nonce created, while the nonce is remembered. */
  findByNonce(channelId: string, authorId: string, nonce: string | number): StoredMessage | undefined {
    const id = this.#nonces.get(`${channelId}:${authorId}:${nonce}`)
    if (id === undefined || this.#clock.now() - timeOf(id) > nonceMs) return undefined
    return this.get(channelId, id)
  }

  /** The media type of a file, if a message has the file. */
  readonly attachmentType = (id: string): string | undefined => this.#attachmentTypes.get(id)

  /** Adds or replaces a message and returns the replaced one. */
  put(message: StoredMessage): StoredMessage | undefined {
    const { authorId, channelId, enforceNonce, id, nonce } = message
    const inChannel = this.#channels.get(channelId) ?? new Map<string, StoredMessage>()
    this.#channels.set(channelId, inChannel)
    if (nonce !== undefined && enforceNonce === true) {
      this.#nonces.set(`${channelId}:${authorId}:${nonce}`, id)
      dropOldest(this.#nonces, (messageId) => this.#clock.now() - timeOf(messageId) > nonceMs)
    }
    for (const file of filesOf(message)) this.#attachmentTypes.set(file.id, file.contentType)
    if (!inChannel.has(id)) this.#count(message, 1)
    return put(inChannel, message)
  }

  remove(channelId: string, id: string): StoredMessage | undefined {
    const inChannel = this.#channels.get(channelId)
    const before = inChannel === undefined ? undefined : removeFrom(inChannel, id)
    if (before === undefined) return undefined
    for (const file of filesOf(before)) this.#attachmentTypes.delete(file.id)
    this.#count(before, -1)
    return before
  }

  removeChannel(channelId: string): void {
    this.#channels.delete(channelId)
    this.#counts.delete(channelId)
  }

  /** Restores how many messages were deleted from a thread before the log was compacted. */
  restoreDeleted(channelId: string, deleted: number): void {
    const counts = this.#counts.get(channelId) ?? noMessages
    if (deleted > counts.deleted) this.#counts.set(channelId, { ...counts, deleted })
  }

  #count({ channelId, id, type, visibleTo }: StoredMessage, delta: 1 | -1): void {
    if (visibleTo !== undefined || id === channelId || type === MessageKind.threadStarter) return
    const { deleted, current } = this.#counts.get(channelId) ?? noMessages
    this.#counts.set(channelId, { current: current + delta, deleted: delta > 0 ? deleted : deleted + 1 })
  }
}

/** The files of a message and of the message that it forwards. */
const filesOf = ({ attachments, snapshot }: StoredMessage): ReadonlyArray<StoredAttachment> => [
  ...attachments,
  ...(snapshot?.attachments ?? [])
]

const selectHistory = (
  messages: ReadonlyArray<StoredMessage>,
  { after, around, before, limit }: HistoryQuery
): ReadonlyArray<StoredMessage> => {
  if (around !== undefined) {
    const index = messages.findIndex((message) => compareIds(message.id, around) >= 0)
    const start = Math.max(0, (index < 0 ? messages.length : index) - Math.floor(limit / 2))
    return messages.slice(start, start + limit)
  }
  if (after !== undefined) return messages.filter((message) => compareIds(message.id, after) > 0).slice(0, limit)
  const candidates = before === undefined ? messages : messages.filter((message) => compareIds(message.id, before) < 0)
  return candidates.slice(Math.max(0, candidates.length - limit))
}
