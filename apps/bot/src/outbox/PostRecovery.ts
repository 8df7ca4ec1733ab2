import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { type DiscordError, isForbidden, isGone, isPassing, isShut } from "../discord/DiscordError.ts"
import { refused, settled } from "../store/Posts.ts"
import { oneLine } from "../text/Truncate.ts"
import * as NextCall from "./NextCall.ts"
import { type OutboxState, ThreadShut } from "./OutboxState.ts"
import { store } from "./PostCalls.ts"
import { hashOf } from "./PostHash.ts"

/**
 * Deals with a call that failed for the n-th time: waits where that may help, notes below a post what Discord refuses,
 * and fails when nothing can be posted in the thread any more.
 */
export const recover = Effect.fnUntraced(function* (
  self: OutboxState,
  call: NextCall.Call,
  error: DiscordError,
  failures: number
) {
  // The next slot comes when Discord takes the call.
  if (error.status === 429) return yield* Effect.logDebug(`A post waits: ${error.message}`)
  if (isPassing(error)) {
    yield* Effect.logWarning(`A post waits: ${error.message}`)
    return yield* Effect.sleep(Math.min(10_000, 500 * 2 ** failures))
  }
  if (isShut(error)) return yield* awaitPermission(self, error, failures)
  if (error.code === archivedThread) return yield* unarchive(self, failures)
  return yield* noteRefusal(self, call, error)
})

/** Permissions may be given back in a moment; a thread that is gone or locked is shut at once. */
const awaitPermission = Effect.fnUntraced(function* (self: OutboxState, error: DiscordError, failures: number) {
  const now = self.now()
  self.forbiddenSince ??= now
  if (!isForbidden(error) || now - self.forbiddenSince > self.stuckAfterMs)
    return yield* new ThreadShut({ threadId: self.options.threadId, known: false })
  yield* Effect.logWarning(`A post waits for permissions: ${error.message}`)
  yield* Effect.sleep(Math.min(5000, 500 * 2 ** failures))
})

const unarchive = Effect.fnUntraced(function* (self: OutboxState, failures: number) {
  const api = yield* DiscordApi
  yield* Effect.catchAll(api.unarchive(self.options.threadId), (error) =>
    isShut(error) ? awaitPermission(self, error, failures) : Effect.logWarning("A thread stays archived", error.message)
  )
})

/** Discord does not take a post: the thread says so, and the post is tried again when it says something else. */
const noteRefusal = Effect.fnUntraced(function* (self: OutboxState, call: NextCall.Call, error: DiscordError) {
  const posted = call._tag === "Create" ? self.known.get(call.post.key) : call.posted
  if (posted === undefined) return
  if (call._tag === "Remove" || isGone(error)) return yield* store(self, { ...posted, hash: settled })
  const { key } = call.post
  yield* Effect.logError(`Discord refuses the post ${key}`, error.message)
  // A note on a refusal that is refused itself is left out.
  if (NextCall.isRefusal(key)) return yield* store(self, { ...posted, hash: settled })
  if (posted.messageId === undefined) yield* self.options.refused(key)
  yield* store(self, { ...posted, hash: refused(hashOf(call.post), oneLine(error.description, 200)) })
})

const archivedThread = 50083
