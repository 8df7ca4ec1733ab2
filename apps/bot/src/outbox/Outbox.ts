import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { BotSettings } from "../model/BotSettings.ts"
import { type Calls, DiscordApi } from "../discord/DiscordApi.ts"
import { type DiscordError, isForbidden, isGone, isPassing, isShut } from "../discord/DiscordError.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import type { Rank } from "../discord/RateBudget.ts"
import { timeOf } from "../discord/Snowflake.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import type { Messages } from "../messages/Messages.ts"
import { oneLine } from "../text/Fit.ts"
import { isCard, type Post } from "../model/Post.ts"
import { adopt } from "./Adoption.ts"
import * as NextCall from "./NextCall.ts"
import * as PageRollover from "./PageRollover.ts"
import * as PostBody from "./PostBody.ts"
import { filesHash, hashOf, nonceOf } from "./PostHash.ts"
import {
  cardsOf,
  creating,
  instead,
  insteadOf,
  type Posted,
  Posts,
  refusalOf,
  refused,
  replaced,
  settled
} from "../store/Posts.ts"

/** The thread was deleted or locked, or the bot may not write in it any more. */
export class ThreadShut extends Data.TaggedError("ThreadShut")<{
  readonly threadId: string
  /** Whether its row says so already. */
  readonly known: boolean
}> {}

/** Makes a thread equal to what one turn wants to show. */
export interface Outbox {
  /**
   * Tells that what is wanted has changed; it is read when the turn of this thread comes, so old states are never sent.
   * With `hurry` it may be something to answer, or an answer's outcome, and is not kept waiting by other threads' text.
   */
  readonly changed: (how?: { readonly hurry: boolean }) => void
  /** Waits until the thread shows what is wanted, ahead of other threads' text. */
  readonly flush: Effect.Effect<void, ThreadShut>
  /** When a post of the turn was made or changed last, in epoch milliseconds; undefined before there is any. */
  readonly changedAt: () => number | undefined
}

export interface OutboxOptions {
  readonly threadId: string
  readonly turnId: string
  readonly messages: Messages
  /** Is told of a key whether its post is in the thread. */
  readonly wanted: (isThere: (key: string) => boolean) => NextCall.Wanted
  /** Fails when nothing can be posted any more, whoever finds that first. */
  readonly over: Deferred.Deferred<never, ThreadShut>
  /** Whether it answers what was read late: then it lets what is said now go first. */
  readonly late?: boolean
  readonly load: PostBody.Load
  /** The message that a post replies to, by its key, when it is created. */
  readonly replyTo: (key: string) => Effect.Effect<string | undefined>
  /** Told of a post, by its key, that Discord does not take and that is not there at all. */
  readonly refused: (key: string) => Effect.Effect<void>
}

/** Starts posting for one turn; the scope ends it. One call to Discord is in flight at a time. */
export const open = Effect.fnUntraced(function* (
  options: OutboxOptions
): Effect.fn.Return<Outbox, never, BotSettings | DiscordApi | RateLimiter | Posts | Watchdog | Scope.Scope> {
  const api = yield* DiscordApi
  const pace = yield* RateLimiter
  const clock = yield* Effect.clock
  const { rollAfterMs, stuckAfterMs } = yield* BotSettings
  const posts = yield* Posts
  const { messages, over, threadId, turnId } = options
  /** Posts whose row is behind what they say. */
  const unsaved = new Set<string>()
  const own = yield* posts.ofTurn(turnId)
  const known = new Map([...(yield* posts.ofTurn(cardsOf(threadId))), ...own].map((posted) => [posted.key, posted]))
  const homeOf = (key: string) => (isCard(key) ? cardsOf(threadId) : turnId)
  const latch = yield* Effect.makeLatch(true)
  const waiting: Array<Deferred.Deferred<void>> = []
  /** Posts that ask somebody something: the next change of one of them is what became of it. */
  const asking = new Set<string>()
  const mover = (yield* Watchdog).watch(`A post in thread ${options.threadId}`)
  yield* Effect.addFinalizer(() => Effect.sync(mover.rests))
  const isThere = (key: string): boolean => {
    const posted = known.get(key)
    return posted !== undefined && (posted.messageId !== undefined || posted.hash === settled)
  }
  const wanted = () => NextCall.withRefusals(options.wanted(isThere), known, messages)
  const line: Line = { shown: own.length > 0, hurry: false, changedAt: undefined, owedSince: pace.now() }
  const pageTurn = PageRollover.make()

  const note = (posted: Posted) => Effect.sync(() => known.set(posted.key, posted))

  const remember = (posted: Posted) => Effect.zipRight(posts.put(homeOf(posted.key), posted), note(posted))

  const create = Effect.fnUntraced(function* (calls: Calls, post: Post) {
    const files = filesHash(post)
    const before = known.get(post.key)
    // A message that was about to be created before may exist and say what was wanted then: it is edited next.
    const again = before !== undefined && before.messageId === undefined && refusalOf(before.hash) === undefined
    const old = before === undefined ? undefined : (before.messageId ?? insteadOf(before.hash))
    const body = yield* PostBody.withFiles(post, options.load, messages)
    yield* remember({ key: post.key, messageId: undefined, hash: creating(body.content, old), files })
    const nonce = nonceOf(homeOf(post.key), old === undefined ? post.key : `${post.key} ${instead(old)}`)
    const replyTo = yield* options.replyTo(post.key)
    const messageId = yield* calls.create(threadId, body, { nonce, ...(replyTo === undefined ? {} : { replyTo }) })
    const created = remember({ key: post.key, messageId, hash: again ? "" : hashOf(post), files })
    return old === undefined ? created : Effect.zipRight(remember(replaced(old)), created)
  })

  /** A message that is too old to be edited is replaced by a new one, unless it says already what is wanted. */
  const replace = Effect.fnUntraced(function* (calls: Calls, { messageId, post, posted }: NextCall.Change) {
    const files = filesHash(post)
    // Its row may only be behind: nobody saw it grow to its end.
    if (posted.files === files && (yield* calls.says(threadId, messageId, PostBody.plain(post)))) {
      return remember({ ...posted, hash: hashOf(post) })
    }
    return yield* create(calls, post)
  })

  const edit = Effect.fnUntraced(function* (calls: Calls, { messageId, post, posted }: NextCall.Change) {
    const files = filesHash(post)
    const sameFiles = files === posted.files
    const body = sameFiles ? PostBody.plain(post) : yield* PostBody.withFiles(post, options.load, messages)
    yield* calls.edit(threadId, messageId, body)
    const edited = { ...posted, hash: hashOf(post), files }
    // That it is as it should be again is stored at once, since a refusal was.
    if (!sameFiles || refusalOf(posted.hash) !== undefined) return remember(edited)
    // What a growing post says is stored when it has grown: until then, a restart makes one edit too many.
    unsaved.add(post.key)
    return note(edited)
  })

  const save = Effect.gen(function* () {
    for (const key of unsaved) {
      const posted = known.get(key)
      if (posted !== undefined) yield* posts.put(homeOf(key), posted)
      unsaved.delete(key)
    }
  })

  const remove = (calls: Calls, posted: Posted) =>
    (posted.messageId === undefined ? Effect.void : calls.remove(threadId, posted.messageId)).pipe(
      Effect.catchIf(
        (error) => error.code === 10008,
        () => Effect.void
      ),
      Effect.as(
        Effect.zipRight(
          posts.forget(homeOf(posted.key), posted.key),
          Effect.sync(() => known.delete(posted.key))
        )
      )
    )

  const standing = (): NextCall.Standing => ({
    known,
    asking,
    isOld: (messageId) => clock.unsafeCurrentTimeMillis() - timeOf(messageId) > rollAfterMs,
    flushing: waiting.length > 0,
    hurry: line.hurry
  })

  /** Makes the call; what it gives is still to be done, when the turn is over. */
  const perform = (calls: Calls, call: NextCall.Call): Effect.Effect<Effect.Effect<unknown>, DiscordError> => {
    switch (call._tag) {
      case "Create":
        return create(calls, call.post)
      case "Edit":
        return edit(calls, call)
      case "Replace":
        return replace(calls, call)
      case "Remove":
        return remove(calls, call.posted)
    }
  }

  /** Permissions may be given back in a moment; a thread that is gone or locked is shut at once. */
  const forbidden = Effect.fnUntraced(function* (error: DiscordError, failures: number) {
    const now = clock.unsafeCurrentTimeMillis()
    forbiddenSince ??= now
    if (!isForbidden(error) || now - forbiddenSince > stuckAfterMs)
      return yield* new ThreadShut({ threadId, known: false })
    yield* Effect.logWarning(`A post waits for permissions: ${error.message}`)
    yield* Effect.sleep(Math.min(5000, 500 * 2 ** failures))
  })

  const recover = Effect.fnUntraced(function* (call: NextCall.Call, error: DiscordError, failures: number) {
    // The next turn comes when Discord takes the call.
    if (error.status === 429) return yield* Effect.logDebug(`A post waits: ${error.message}`)
    if (isPassing(error)) {
      yield* Effect.logWarning(`A post waits: ${error.message}`)
      return yield* Effect.sleep(Math.min(10_000, 500 * 2 ** failures))
    }
    if (isShut(error)) return yield* forbidden(error, failures)
    if (error.code === 50083) {
      return yield* Effect.catchAll(api.unarchive(threadId), (error) =>
        isShut(error) ? forbidden(error, failures) : Effect.logWarning("A thread stays archived", error.message)
      )
    }
    const posted = call._tag === "Create" ? known.get(call.post.key) : call.posted
    if (posted === undefined) return
    if (call._tag === "Remove" || isGone(error)) return yield* remember({ ...posted, hash: settled })
    const { key } = call.post
    yield* Effect.logError(`Discord refuses the post ${key}`, error.message)
    // A word about a refusal that is refused itself is done without.
    if (NextCall.isRefusal(key)) return yield* remember({ ...posted, hash: settled })
    if (posted.messageId === undefined) yield* options.refused(key)
    yield* remember({ ...posted, hash: refused(hashOf(call.post), oneLine(error.description, 200)) })
  })

  const rank = (): Rank => ({
    priority: waiting.length > 0 || line.hurry ? "urgent" : line.shown || options.late === true ? "routine" : "first",
    since: line.changedAt ?? line.owedSince,
    uneven: pageTurn.isDue(),
    ripeAt: pageTurn.fullAt()
  })

  let seenAt = own.length > 0 ? clock.unsafeCurrentTimeMillis() : undefined
  /** Since when the bot may not write here. */
  let forbiddenSince: number | undefined
  const loop = Effect.gen(function* () {
    let failures = 0
    for (;;) {
      yield* latch.await
      yield* latch.close
      const flushing = waiting.length
      const due = NextCall.next(wanted(), standing())
      pageTurn.saw(due, pace.now())
      if (due === undefined) {
        line.hurry = false
        line.changedAt = undefined
        mover.rests()
        if (flushing > 0) yield* save
        for (const each of waiting.splice(0, flushing)) yield* Deferred.succeed(each, undefined)
        continue
      }
      const used = yield* api.turn(
        threadId,
        rank,
        Effect.fnUntraced(function* (calls, unused) {
          line.owedSince = line.changedAt ?? line.owedSince
          line.changedAt = undefined
          const now = wanted()
          const call = NextCall.next(now, standing())
          line.hurry = false
          // What has no room in a full page is not shown by this call, and has waited longer than what comes now.
          if (call?._tag === "Edit" && call.full === true) line.changedAt = pageTurn.fullSince() ?? pace.now()
          if (call !== undefined) pageTurn.made(call, pace.now())
          return call === undefined ? unused() : { call, now, made: yield* Effect.either(perform(calls, call)) }
        })
      )
      yield* latch.open
      if (used === undefined) continue
      const { call, made, now } = used
      if (Either.isLeft(made)) {
        yield* recover(call, made.left, failures++)
        continue
      }
      failures = 0
      forbiddenSince = undefined
      mover.moved()
      seenAt = clock.unsafeCurrentTimeMillis()
      yield* made.right
      if (call._tag !== "Remove") {
        line.shown = true
        if (NextCall.isAsking(call.post)) asking.add(call.post.key)
        else asking.delete(call.post.key)
      }
      line.hurry ||= now.posts.some((post) => NextCall.isPressing(post, { asking, known }))
    }
  })

  yield* Effect.forkScoped(
    Effect.onExit(Effect.zipRight(adopt(options, known), loop), (exit) => Deferred.done(over, exit))
  )
  return {
    changed: (how) => {
      line.changedAt ??= pace.now()
      mover.due()
      latch.unsafeOpen()
      if (how?.hurry === true) line.hurry = true
      else if (pageTurn.isDue() || pace.now() < pageTurn.lookAt()) return
      else {
        pageTurn.saw(NextCall.next(wanted(), standing()), pace.now())
        if (!pageTurn.isDue()) return
      }
      pace.reconsider()
    },
    changedAt: () => seenAt,
    flush: Effect.gen(function* () {
      const shown = yield* Deferred.make<void>()
      waiting.push(shown)
      mover.due()
      yield* latch.open
      pace.reconsider()
      yield* Effect.raceFirst(Deferred.await(shown), Deferred.await(over))
    })
  }
})

/** Where the thread stands among those that wait for a turn. */
interface Line {
  /** The turn has a visible post. */
  shown: boolean
  /** Something asks a person, or was answered. */
  hurry: boolean
  /** When the oldest change came that was not looked at. */
  changedAt: number | undefined
  /** When the oldest change came that was looked at and may not be shown in full. */
  owedSince: number
}
