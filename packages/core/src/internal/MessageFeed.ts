import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AssistantMessage, MessageId } from "../domain/AssistantMessage.ts"
import * as IsoTime from "../domain/IsoTime.ts"
import type { OpenApiError } from "../OpenApiError.ts"
import * as Pages from "./Pages.ts"

/** The two ways to list the conversation with the local assistant (contract 4.8), each oldest message first. */
export interface Source {
  readonly page: (options: { readonly limit: number; readonly offset: number }) => Effect.Effect<Messages, OpenApiError>
  readonly after: (messageId: MessageId) => Effect.Effect<Messages, OpenApiError>
}

/** The maximum page size (contract 4.8). */
export const maxPageSize = 100

/**
 * Every message of the conversation once, each page newest message first, until a page is not full (contract decision
 * 70).
 */
export const all = (source: Source): Pages.Pages<AssistantMessage, OpenApiError> =>
  Pages.make(() => {
    const seen = new Set<MessageId>()
    const next = (offset: number) =>
      Effect.map(source.page({ limit: maxPageSize, offset }), (messages) => {
        const unseen = messages.filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId)).toReversed()
        // A service that ignores `offset` returns the same full page again and again.
        const hasMore = messages.length >= maxPageSize && unseen.length > 0
        return [unseen, hasMore ? Option.some(offset + messages.length) : Option.none()] as const
      })
    return { first: 0, next }
  })

/** Every message after `messageId` once, oldest first, without end (contract decisions 68 and 69). */
export const since = (
  source: Source,
  messageId: MessageId,
  poll: { readonly initialInterval?: Duration.DurationInput; readonly maxInterval?: Duration.DurationInput } = {}
): Pages.Pages<AssistantMessage, OpenApiError> =>
  Pages.make(() => {
    const firstWait = Duration.toMillis(poll.initialInterval ?? "500 millis")
    const maxWait = Math.max(firstWait, Duration.toMillis(poll.maxInterval ?? "5 seconds"))
    const emitted = new Set<MessageId>([messageId])

    const requestAfter = (cursor: Cursor): Effect.Effect<Messages, OpenApiError> =>
      source.after(cursor.messageId).pipe(Effect.catchTag("NotFound", () => fromHistory(source, cursor, emitted)))

    const next = ({ cursor, wait }: State) =>
      Effect.gen(function* () {
        if (wait > 0) yield* Effect.sleep(wait)
        const messages = yield* requestAfter(cursor)
        const unseen = messages.filter(({ messageId }) => !emitted.has(messageId) && remember(emitted, messageId))
        const state: State =
          unseen.length > 0
            ? // One response may not hold all messages, so the next request follows at once.
              { cursor: advanceCursor(unseen, cursor), wait: 0 }
            : { cursor, wait: wait === 0 ? firstWait : Math.min(wait * waitGrowth, maxWait) }
        return [unseen, Option.some(state)] as const
      })

    const first: State = { cursor: { messageId, createdAt: undefined, wasEmitted: false }, wait: 0 }
    return { first, next }
  })

type Messages = ReadonlyArray<AssistantMessage>

/** The last emitted message, or at the start the message of the caller. */
interface Cursor {
  readonly messageId: MessageId
  readonly createdAt: number | undefined
  readonly wasEmitted: boolean
}

interface State {
  readonly cursor: Cursor
  readonly wait: number
}

const waitGrowth = 1.5

/** The number of ids kept to recognise repeated messages. */
const maxEmittedIds = 10_000

const remember = (emitted: Set<MessageId>, messageId: MessageId): true => {
  emitted.add(messageId)
  const [oldest] = emitted
  if (emitted.size > maxEmittedIds && oldest !== undefined) emitted.delete(oldest)
  return true
}

const advanceCursor = (unseen: Messages, cursor: Cursor): Cursor => {
  const message = unseen.at(-1)
  return message === undefined ? cursor : { messageId: message.messageId, createdAt: timeOf(message), wasEmitted: true }
}

/**
 * The messages of the history after the last emitted one, for a service that no longer knows that message.
 * If no message was emitted, there is no place to read back to: only the newest page.
 */
const fromHistory = (
  source: Source,
  cursor: Cursor,
  emitted: ReadonlySet<MessageId>
): Effect.Effect<Messages, OpenApiError> =>
  Effect.gen(function* () {
    const pages: Array<Messages> = []
    for (let offset = 0; ;) {
      const page = yield* source.page({ limit: maxPageSize, offset })
      pages.push(page)
      offset += page.length
      // One page alone does not show whether the next one is older.
      const isAtCursor =
        pages.length > 1 &&
        goBack(pages) &&
        (!cursor.wasEmitted || page.some((message) => isBeforeCursor(message, cursor, emitted)))
      const isRepeated = pages.length > 1 && page[0]?.messageId === pages.at(-2)?.[0]?.messageId
      if (page.length < maxPageSize || isAtCursor || isRepeated) break
    }
    const messages = oldestFirst((goBack(pages) ? pages.toReversed() : pages).flat())
    if (!cursor.wasEmitted) return messages.slice(-maxPageSize)
    return messages.slice(messages.findLastIndex((message) => isBeforeCursor(message, cursor, emitted)) + 1)
  })

const isBeforeCursor = (message: AssistantMessage, cursor: Cursor, emitted: ReadonlySet<MessageId>): boolean => {
  const createdAt = timeOf(message)
  const isOlder = createdAt !== undefined && cursor.createdAt !== undefined && createdAt < cursor.createdAt
  return emitted.has(message.messageId) || isOlder
}

/**
 * Sorts messages oldest first; a service may list them either way (contract decision 68). What times and ids leave
 * undecided keeps the service's order.
 */
export const oldestFirst = (messages: Messages): Messages => {
  const [first, last] = [messages[0], messages.at(-1)]
  const isNewestFirst = first !== undefined && last !== undefined && compare(first, last) > 0
  const listed = isNewestFirst ? messages.toReversed() : messages
  return messages.some((message) => timeOf(message) === undefined) ? listed : listed.toSorted(compare)
}

/** Compares by time, and within the same instant by ids that are numbers. */
const compare = (one: AssistantMessage, other: AssistantMessage): number => {
  const [time, otherTime] = [timeOf(one), timeOf(other)]
  if (time !== undefined && otherTime !== undefined && time !== otherTime) return time - otherTime
  const areNumbers = [one, other].every(({ messageId }) => /^\d{1,15}$/.test(messageId))
  return areNumbers ? Number(one.messageId) - Number(other.messageId) : 0
}

/** Whether later pages are older, as is usual, as far as their times tell. */
const goBack = (pages: ReadonlyArray<Messages>): boolean => {
  const [first, last] = [pages[0]?.[0], pages.at(-1)?.[0]]
  const [firstTime, lastTime] = [first && timeOf(first), last && timeOf(last)]
  return firstTime === undefined || lastTime === undefined || lastTime <= firstTime
}

const timeOf = ({ createdAt }: AssistantMessage): number | undefined =>
  createdAt === undefined ? undefined : IsoTime.toMillis(createdAt)
