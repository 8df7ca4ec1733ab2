import * as Effect from "effect/Effect"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import {
  type DiscordError,
  isForbidden,
  isGone,
  isPassing,
  isNotWritable,
  isOutOfThreads
} from "../discord/DiscordError.ts"
import { patience, othersPassTwice } from "../discord/FailsAlone.ts"
import { isBegun, refused, settled } from "../store/Posts.ts"
import { hashOf } from "../model/Post.ts"
import { oneLine } from "../text/Truncate.ts"
import * as NextCall from "./NextCall.ts"
import { type OutboxState, ThreadShut } from "./OutboxState.ts"
import { endCreation, search, store } from "./PostCalls.ts"

/**
 * Handles the n-th failure of a call: waits if a retry may succeed, or adds a note below a post that Discord rejects or
 * keeps failing. Fails when the thread no longer accepts posts.
 */
export const recover = Effect.fnUntraced(function* (
  self: OutboxState,
  call: NextCall.Call,
  error: DiscordError,
  failures: number
) {
  if (error.status < 500) self.othersPassed = false
  noteLost(self, call, error)
  // The next slot comes after Discord's delay.
  if (error.status === 429) return yield* Effect.logDebug(`A post waits: ${error.message}`)
  // A post reopens an archived thread, which has to wait where too many are active.
  if (isPassing(error) || isOutOfThreads(error)) {
    if (error.status >= 500 && (yield* failsAlone(self, call))) return yield* giveUp(self, call, error)
    yield* Effect.logWarning(`A post waits: ${error.message}`)
    return yield* Effect.sleep(RetrySchedules.postDelay(self.othersPassed ? 0 : failures))
  }
  if (isNotWritable(error)) return yield* awaitPermission(self, error, failures)
  if (error.code === archivedThread) return yield* unarchive(self, failures)
  return yield* noteRefusal(self, call, error)
})

/** Whether Discord has failed a post for minutes while it takes another call for the thread. */
const failsAlone = Effect.fnUntraced(function* (self: OutboxState, call: NextCall.Call) {
  const now = self.now()
  self.failingSince ??= now
  if (!self.givenUp.has(NextCall.keyOf(call)) && now - self.failingSince < patience * self.stuckAfterMs) return false
  return yield* othersPassTwice(self.options.threadId, self)
})

/** A call without a usable response may have been carried out. */
const noteLost = (self: OutboxState, call: NextCall.Call, { status }: DiscordError): void => {
  const isCreation = call._tag === "Create" || call._tag === "Replace"
  const key = NextCall.keyOf(call)
  if (isCreation && (status === 0 || status >= 500) && !self.lostSince.has(key)) self.lostSince.set(key, self.now())
}

/** Ends the tries of a call that Discord fails alone. */
const giveUp = (self: OutboxState, call: NextCall.Call, error: DiscordError) => {
  self.givenUp.add(NextCall.keyOf(call))
  self.othersPassed = false
  return noteRefusal(self, call, error, `HTTP ${error.status}`)
}

/** Permissions may return in a moment; a deleted or locked thread is shut at once. */
const awaitPermission = Effect.fnUntraced(function* (self: OutboxState, error: DiscordError, failures: number) {
  const now = self.now()
  self.forbiddenSince ??= now
  if (!isForbidden(error) || now - self.forbiddenSince > self.stuckAfterMs)
    return yield* new ThreadShut({ threadId: self.options.threadId, isRowClosed: false })
  yield* Effect.logWarning(`A post waits for permissions: ${error.message}`)
  yield* Effect.sleep(RetrySchedules.permissionDelay(failures))
})

const unarchive = Effect.fnUntraced(function* (self: OutboxState, failures: number) {
  const api = yield* DiscordApi
  yield* Effect.catchAll(api.unarchive(self.options.threadId), (error) =>
    isNotWritable(error)
      ? awaitPermission(self, error, failures)
      : Effect.zipRight(
          Effect.logWarning("A thread stays archived", error.message),
          Effect.sleep(RetrySchedules.postDelay(failures))
        )
  )
})

/** Notes the rejection in the thread; the post is tried again when its content changes. */
const noteRefusal = Effect.fnUntraced(function* (
  self: OutboxState,
  call: NextCall.Call,
  error: DiscordError,
  reason = error.description
) {
  const key = NextCall.keyOf(call)
  const posted = self.existing.get(key)
  if (posted === undefined) return
  if (call._tag === "Search") {
    yield* Effect.logWarning(`A message of the post ${key} may stay`, error.message)
    self.lostSince.delete(key)
    return yield* call.isDesired ? Effect.void : endCreation(self, posted)
  }
  // This try or one before may have made the message, which is then only edited.
  if (call._tag !== "Remove" && isBegun(posted.hash) && self.lostSince.has(key)) {
    yield* Effect.ignoreLogged(search(self, { _tag: "Search", posted, isDesired: true }))
    if (self.existing.get(key)?.messageId !== posted.messageId) return
  }
  if (call._tag === "Remove" || isGone(error)) return yield* store(self, { ...posted, hash: settled })
  yield* Effect.logError(`Discord refuses the post ${key}`, error.message)
  // A rejected note is dropped.
  if (NextCall.isRefusal(key)) return yield* store(self, { ...posted, hash: settled })
  if (posted.messageId === undefined) yield* self.options.onRefused(key)
  yield* store(self, { ...posted, hash: refused(hashOf(call.post), oneLine(reason, 200)) })
})

const archivedThread = 50083
