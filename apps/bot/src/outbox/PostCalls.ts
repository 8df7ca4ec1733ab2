import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Calls } from "../discord/RateLimitedCalls.ts"
import type { DiscordError } from "../discord/DiscordError.ts"
import type { MessageBody, Upload } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { idAt } from "../discord/Snowflake.ts"
import { endLineKey, filesHash, hashOf, nonceOf, type Post, requestIdOf } from "../model/Post.ts"
import {
  creatingMarker,
  isBegun,
  type Posted,
  Posts,
  parseRefusal,
  replaced,
  settled,
  unknownContent
} from "../store/Posts.ts"
import { recoverCreate } from "./CreateRecovery.ts"
import type * as NextCall from "./NextCall.ts"
import { rowKeyOf, type OutboxOptions, type OutboxState } from "./OutboxState.ts"

/** Makes the call. The returned effect stores the result after the slot. */
export const perform = (
  self: OutboxState,
  calls: Calls,
  call: Exclude<NextCall.Call, NextCall.Search>
): Effect.Effect<Effect.Effect<unknown, never, Posts>, DiscordError, Posts> => {
  switch (call._tag) {
    case "Create":
      return create(self, calls, call.post)
    case "Edit":
      return edit(self, calls, call)
    case "Replace":
      return replace(self, calls, call)
    case "Remove":
      return remove(self, calls, call.posted)
  }
}

/** Stores the content of a message. */
export const store = (self: OutboxState, posted: Posted) =>
  Effect.flatMap(Posts, (posts) =>
    Effect.map(posts.put(rowKeyOf(self, posted.key), posted), () => void self.existing.set(posted.key, posted))
  )

/** Stores the posts whose rows are outdated. */
export const storeUnsaved = Effect.fnUntraced(function* (self: OutboxState) {
  for (const key of self.unsaved) {
    const posted = self.existing.get(key)
    if (posted !== undefined) yield* store(self, posted)
    self.unsaved.delete(key)
  }
})

/**
 * Posts a message. A stored one with an id is too old for edits and is replaced. The returned effect stores the result.
 */
const create = Effect.fnUntraced(function* (self: OutboxState, calls: Calls, post: Post) {
  const { load, messages, replyTo, threadId } = self.options
  const files = filesHash(post)
  const stored = self.existing.get(post.key)
  // Instead of a hash, a row may hold a marker: of a rejection or of a begun creation.
  // A message from before a crash or of a failed try may exist with older text, which the next edit corrects.
  const mayExist =
    stored !== undefined &&
    (isBegun(stored.hash) || (stored.messageId === undefined && parseRefusal(stored.hash) === undefined))
  const replacedId = stored?.messageId
  const body = yield* withFiles(post, load, messages)
  const hash = creatingMarker(body.content, stored?.hash)
  yield* store(self, { key: post.key, messageId: replacedId, hash, files })
  const nonce = nonceOf(
    rowKeyOf(self, post.key),
    replacedId === undefined ? post.key : `${post.key} instead of ${replacedId}`
  )
  yield* storeEndLine(self, post)
  const replyToId = yield* replyTo(post.key)
  const options = { nonce, ...(replyToId === undefined ? {} : { replyTo: replyToId }) }
  const messageId = yield* calls.create(threadId, body, options)
  const storeCreated = Effect.zipRight(
    store(self, { key: post.key, messageId, hash: mayExist ? unknownContent : hashOf(post), files }),
    storeEndLine(self, post, messageId)
  )
  return replacedId === undefined ? storeCreated : Effect.zipRight(store(self, replaced(replacedId)), storeCreated)
})

/** Replaces a message that is too old for edits, unless its content is already right. */
const replace = Effect.fnUntraced(function* (
  self: OutboxState,
  calls: Calls,
  { messageId, post, posted }: NextCall.Change
) {
  // Its row may be outdated: a growing post is not stored. After a failed try, the new message may exist.
  const mayBeRight = posted.files === filesHash(post) && !isBegun(posted.hash)
  if (mayBeRight && (yield* calls.hasContent(self.options.threadId, messageId, withoutFiles(post)))) {
    return Effect.zipRight(store(self, { ...posted, hash: hashOf(post) }), storeEndLine(self, post, messageId))
  }
  return yield* create(self, calls, post)
})

const edit = Effect.fnUntraced(function* (
  self: OutboxState,
  calls: Calls,
  { messageId, post, posted }: NextCall.Change
) {
  const { load, messages, threadId } = self.options
  const files = filesHash(post)
  const sameFiles = files === posted.files
  // An answer may be taken back later, so a row must not say that the open request is still shown.
  if (requestIdOf(post.key) !== undefined) yield* store(self, { ...posted, hash: unknownContent })
  yield* storeEndLine(self, post)
  const editedAt = yield* calls.edit(
    threadId,
    messageId,
    sameFiles ? withoutFiles(post) : yield* withFiles(post, load, messages)
  )
  const edited = { ...posted, hash: hashOf(post), files }
  if (post.end !== undefined)
    return Effect.zipRight(store(self, edited), storeEndLine(self, post, idAt(editedAt ?? self.timeOfDay())))
  // Store the end of a rejection at once, like the rejection.
  if (!sameFiles || parseRefusal(posted.hash) !== undefined) return store(self, edited)
  // A growing post is stored after it has grown; a restart before that costs one extra edit.
  self.unsaved.add(post.key)
  return Effect.sync(() => void self.existing.set(edited.key, edited))
})

/** Stores the end in the last line of a post as the post of an end is stored: before the call, and with the id it has since. */
const storeEndLine = (self: OutboxState, { end }: Post, messageId?: string) =>
  end === undefined || self.existing.get(endLineKey)?.messageId !== undefined
    ? Effect.void
    : store(self, { key: endLineKey, messageId, hash: messageId === undefined ? unknownContent : settled, files: "" })

const remove = Effect.fnUntraced(function* (self: OutboxState, calls: Calls, { key, messageId }: Posted) {
  if (messageId !== undefined) {
    yield* Effect.catchIf(
      calls.remove(self.options.threadId, messageId),
      ({ code }) => code === unknownMessage,
      () => Effect.void
    )
  }
  return removeRow(self, key)
})

/**
 * Searches for the message of a post whose creation failed: Discord may have made it. Stores its id; the returned effect
 * ends a creation without a message if the post is undesired.
 */
export const search = Effect.fnUntraced(function* (self: OutboxState, { isDesired, posted }: NextCall.Search) {
  const api = yield* DiscordApi
  yield* recoverCreate(self.options, self.existing, [posted], (channelId, after) =>
    Effect.map(api.messagesAfter(channelId, after), (messages) => messages.filter(({ own }) => own !== undefined))
  )
  self.lostSince.delete(posted.key)
  const isFound = self.existing.get(posted.key)?.messageId !== posted.messageId
  return isFound || isDesired ? Effect.void : endCreation(self, posted)
})

/** Ends a creation that made no message: the row is again that of the message that was to be replaced, if there is one. */
export const endCreation = (self: OutboxState, { key, messageId }: Posted) =>
  messageId === undefined ? removeRow(self, key) : store(self, { key, messageId, hash: unknownContent, files: "" })

const removeRow = (self: OutboxState, key: string) =>
  Effect.flatMap(Posts, (posts) =>
    Effect.map(posts.remove(rowKeyOf(self, key), key), () => void self.existing.delete(key))
  )

/** The message body of a post, without files. */
const withoutFiles = ({ rows, content, embeds }: Post): MessageBody => ({
  content,
  embeds,
  rows
})

/** The message body of a post with its files; names unavailable files. */
const withFiles = Effect.fn("PostCalls.withFiles")(function* (
  post: Post,
  load: OutboxOptions["load"],
  { turnPosts }: Messages
): Effect.fn.Return<MessageBody> {
  const body = withoutFiles(post)
  const loadedFiles = yield* Effect.forEach(post.files, (file) => Effect.map(load(file), (data) => ({ file, data })))
  const missing = loadedFiles.flatMap(({ data, file }) => (data === undefined ? [file] : []))
  const files = loadedFiles.flatMap(({ data, file: { name } }): ReadonlyArray<Upload> =>
    data === undefined ? [] : [{ name, data }]
  )
  if (missing.length === 0) return { ...body, files }
  const notices = missing.flatMap((file) => (file.preview === undefined ? [turnPosts.fileMissing(file.name)] : []))
  return {
    ...body,
    files,
    embeds: post.embeds.map(({ image, ...embed }) =>
      image === undefined || missing.some(({ name }) => name === image) ? embed : { ...embed, image }
    ),
    content: [post.content, ...notices].join("\n").trim()
  }
})

const unknownMessage = 10008
