import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AssistantMessage, MessageId } from "../domain/AssistantMessage.ts"
import * as IsoTime from "../domain/IsoTime.ts"
import type { OpenApiError } from "../OpenApiError.ts"

/** The two modes in which a service lists the conversation with the local assistant (contract 4.8). */
export interface Source {
  readonly page: (options: { readonly limit: number; readonly offset: number }) => Effect.Effect<Messages, OpenApiError>
  readonly after: (messageId: MessageId) => Effect.Effect<Messages, OpenApiError>
}

/** The maximum page size (contract 4.8). */
export const maxPageSize = 100

/**
 * Every message of the conversation once, in the order of the service's pages, until a page is not full (contract
 * decision 70).
 */
export const whole = (source: Source): Stream.Stream<AssistantMessage, OpenApiError> =>
  Stream.suspend(() => {
    const seen = new Set<MessageId>()
    return Stream.paginateChunkEffect(0, (offset) =>
      Effect.map(source.page({ limit: maxPageSize, offset }), (messages) => {
        const fresh = messages.filter(({ messageId }) => !seen.has(messageId) && seen.add(messageId))
        // A service that ignores `offset` returns the same full page again and again.
        const more = messages.length >= maxPageSize && fresh.length > 0
        return [Chunk.fromIterable(fresh), more ? Option.some(offset + messages.length) : Option.none()] as const
      })
    )
  })

/** Every message after `messageId` once, oldest first, without end (contract decisions 68 and 69). */
export const since = (
  source: Source,
  messageId: MessageId,
  poll: { readonly first?: Duration.DurationInput; readonly slowest?: Duration.DurationInput } = {}
): Stream.Stream<AssistantMessage, OpenApiError> =>
  Stream.suspend(() => {
    const firstWait = Duration.toMillis(poll.first ?? "500 millis")
    const maxWait = Math.max(firstWait, Duration.toMillis(poll.slowest ?? "5 seconds"))
    const emitted = new Set<MessageId>([messageId])

    const ask = (cursor: Cursor): Effect.Effect<Messages, OpenApiError> =>
      source.after(cursor.messageId).pipe(
        Effect.map((messages) => chronological(messages, "oldest first")),
        Effect.catchTag("NotFound", () => fromHistory(source, cursor, emitted))
      )

    const step = ({ cursor, wait }: State) =>
      Effect.gen(function* () {
        if (wait > 0) yield* Effect.sleep(wait)
        const messages = yield* ask(cursor)
        const fresh = messages.filter((message) => !emitted.has(message.messageId))
        for (const message of fresh) remember(emitted, message.messageId)
        const next: State =
          fresh.length > 0
            ? // One response may not hold all messages, so the next request follows at once.
              { cursor: advance(fresh, cursor), wait: 0 }
            : { cursor, wait: wait === 0 ? firstWait : Math.min(wait * growth, maxWait) }
        return [Chunk.fromIterable(fresh), Option.some(next)] as const
      })

    return Stream.paginateChunkEffect<State, AssistantMessage, OpenApiError, never>(
      { cursor: { messageId, at: undefined, wasEmitted: false }, wait: 0 },
      step
    )
  })

type Messages = ReadonlyArray<AssistantMessage>

/** The last message that was emitted, or at first the caller's own. */
interface Cursor {
  readonly messageId: MessageId
  readonly at: number | undefined
  readonly wasEmitted: boolean
}

interface State {
  readonly cursor: Cursor
  readonly wait: number
}

const growth = 1.5

/** Maximum number of ids kept to recognise repeated messages. */
const maxEmittedIds = 10_000

const remember = (emitted: Set<MessageId>, messageId: MessageId): void => {
  emitted.add(messageId)
  const [oldest] = emitted
  if (emitted.size > maxEmittedIds && oldest !== undefined) emitted.delete(oldest)
}

const advance = (fresh: Messages, cursor: Cursor): Cursor => {
  const message = fresh.at(-1)
  return message === undefined ? cursor : { messageId: message.messageId, at: timeOf(message), wasEmitted: true }
}

/**
 * The messages of the history after the last one emitted, for a service that no longer knows that message.
 * Where none was emitted, there is no limit to go back to: only the newest page.
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
      const enough =
        runsBackwards(page) && (!cursor.wasEmitted || page.some((message) => isKnown(message, cursor, emitted)))
      const repeats = pages.length > 1 && page[0]?.messageId === pages.at(-2)?.[0]?.messageId
      if (page.length < maxPageSize || enough || repeats) break
    }
    const messages = chronological(pages.flat(), "newest first")
    if (!cursor.wasEmitted) return messages.slice(-maxPageSize)
    return messages.slice(messages.findLastIndex((message) => isKnown(message, cursor, emitted)) + 1)
  })

const isKnown = (message: AssistantMessage, cursor: Cursor, emitted: ReadonlySet<MessageId>): boolean => {
  const at = timeOf(message)
  return emitted.has(message.messageId) || (at !== undefined && cursor.at !== undefined && at < cursor.at)
}

/** Oldest first: by the times of the messages where all have one, otherwise by the usual order of the mode. */
const chronological = (messages: Messages, usual: "oldest first" | "newest first"): Messages => {
  const times = messages.map(timeOf)
  const [first, final] = [times[0], times.at(-1)]
  const backwards =
    first === undefined || final === undefined || first === final ? usual === "newest first" : first > final
  // Messages of the same instant keep the order that the service gave them.
  const forwards = backwards ? messages.toReversed() : messages
  return times.includes(undefined) ? forwards : forwards.toSorted((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0))
}

const runsBackwards = (page: Messages): boolean => chronological(page, "newest first")[0] !== page[0]

const timeOf = ({ createdAt }: AssistantMessage): number | undefined =>
  createdAt === undefined ? undefined : IsoTime.toMillis(createdAt)
