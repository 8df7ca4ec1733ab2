import { type APIGuildForumChannel, ChannelType, Routes } from "discord.js"
import * as Effect from "effect/Effect"
import type { ForumTag } from "./gateway/GatewayCache.ts"
import type { DiscordError } from "./DiscordError.ts"
import { idOf, type RateLimited } from "./RateLimitedCalls.ts"

/** Threads and posts of forums. */
export interface ThreadCalls {
  /** Opens a public thread on a message; its id is the message's id. */
  readonly createThread: (channelId: string, messageId: string, name: string) => Effect.Effect<string, DiscordError>
  /** Opens a thread that only added members see; returns its id. */
  readonly createPrivateThread: (channelId: string, name: string) => Effect.Effect<string, DiscordError>
  readonly addToThread: (threadId: string, userId: string) => Effect.Effect<void, DiscordError>
  /** Archives a thread of the bot. */
  readonly archive: (threadId: string) => Effect.Effect<void, DiscordError>
  /** Makes an archived thread writable again. */
  readonly unarchive: (threadId: string) => Effect.Effect<void, DiscordError>
  /**
   * Adds missing tags to a forum while there is room; returns all tags with their ids. Calls run one at a time, so that
   * concurrent posts keep each other's tags.
   */
  readonly addTags: (
    forumId: string,
    tags: ReadonlyArray<ForumTag>
  ) => Effect.Effect<ReadonlyArray<ForumTag>, DiscordError>
  /** Sets the tags of a forum post, at most five. */
  readonly setTags: (threadId: string, tagIds: ReadonlyArray<string>) => Effect.Effect<void, DiscordError>
}

export const make = (rateLimited: RateLimited): Effect.Effect<ThreadCalls> =>
  Effect.map(Effect.makeSemaphore(1), (oneForum) => ({
    createThread: (channelId, messageId, name) =>
      rateLimited("createThread", "first", "POST", Routes.threads(channelId, messageId), {
        body: { name, type: ChannelType.PublicThread, auto_archive_duration: oneWeek }
      }).pipe(
        // A message has at most one thread, with the message's id.
        Effect.catchIf(
          ({ code }) => code === threadExists,
          () => Effect.void
        ),
        Effect.as(messageId)
      ),
    createPrivateThread: (channelId, name) =>
      rateLimited("createPrivateThread", "first", "POST", Routes.threads(channelId), {
        body: { name, type: ChannelType.PrivateThread, invitable: false, auto_archive_duration: oneWeek }
      }).pipe(idOf),
    addToThread: (threadId, userId) =>
      Effect.asVoid(rateLimited("addToThread", "first", "PUT", Routes.threadMembers(threadId, userId))),
    archive: (threadId) =>
      Effect.asVoid(
        rateLimited("archiveThread", "routine", "PATCH", Routes.channel(threadId), { body: { archived: true } })
      ),
    unarchive: (threadId) =>
      Effect.asVoid(
        rateLimited("unarchiveThread", "first", "PATCH", Routes.channel(threadId), { body: { archived: false } })
      ),
    addTags: (forumId, tags) => oneForum.withPermits(1)(addTags(rateLimited, forumId, tags)),
    setTags: (threadId, tagIds) =>
      Effect.asVoid(
        rateLimited("setTags", "routine", "PATCH", Routes.channel(threadId), { body: { applied_tags: tagIds } })
      )
  }))

const addTags = Effect.fnUntraced(function* (rateLimited: RateLimited, forumId: string, tags: ReadonlyArray<ForumTag>) {
  const forum = yield* rateLimited("readForum", "routine", "GET", Routes.channel(forumId))
  const { available_tags: there } = forum as APIGuildForumChannel
  const missing = tags.filter(({ name }) => !there.some((each) => each.name === name))
  if (missing.length === 0 || there.length + missing.length > mostTags) return there
  const added = missing.map(({ emojiName, name }) => ({ name, emoji_id: null, emoji_name: emojiName ?? null }))
  const changed = yield* rateLimited("defineTags", "routine", "PATCH", Routes.channel(forumId), {
    body: { available_tags: [...there, ...added] }
  })
  return (changed as APIGuildForumChannel).available_tags
})

/** Discord's limit of tags per forum. */
const mostTags = 20

/** The auto-archive time, in minutes. */
const oneWeek = 10_080

const threadExists = 160_004
