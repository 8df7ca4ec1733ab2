import { createHash } from "node:crypto"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { BotSettings } from "../BotSettings.ts"
import { type Calls, DiscordApi } from "../discord/DiscordApi.ts"
import { type DiscordError, isGone, isPassing, isShut } from "../discord/DiscordError.ts"
import { patiently } from "../discord/Patiently.ts"
import type { MessageBody, Upload } from "../discord/MessageBody.ts"
import { Pace } from "../discord/Pace.ts"
import { Progress } from "../health/Progress.ts"
import type { Rank } from "../discord/RateBudget.ts"
import type { Messages } from "../messages/Messages.ts"
import { isNewer, timeOf } from "../discord/Snowflake.ts"
import { oneLine } from "../view/Fit.ts"
import { type FileRef, isCard, type Post } from "../view/Post.ts"
import * as Sent from "./Sent.ts"
import {
  cardsOf,
  creating,
  instead,
  insteadOf,
  isReplaced,
  type Posted,
  Posts,
  replaced,
  settled,
  wasCreating
} from "./Posts.ts"

/** The thread was deleted or locked, or the bot may not write in it any more. */
export class ThreadShut extends Data.TaggedError("ThreadShut")<{ readonly threadId: string }> {}

/** What should be there now; `goes` tells of a key whether its post is deleted when it is there and not wanted. */
export interface Wanted {
  readonly posts: ReadonlyArray<Post>
  readonly goes: (key: string) => boolean
}

/** Makes a thread equal to what one turn wants to show. */
export interface Outbox {
  /**
   * Tells that what is wanted has changed; it is read when the turn of this thread comes, so old states are never sent.
   * With `hurry` it may be something to answer, or an answer's outcome, and is not kept waiting by other threads' text.
   */
  readonly changed: (how?: { readonly hurry: boolean }) => void
  /** Waits until the thread shows what is wanted, ahead of other threads' text. */
  readonly flush: Effect.Effect<void, ThreadShut>
  /** Waits until the first post of the turn is visible. */
  readonly visible: Effect.Effect<void, ThreadShut>
}

export interface OutboxOptions {
  readonly threadId: string
  readonly turnId: string
  readonly messages: Messages
  /** Is told of a key whether its post is in the thread. */
  readonly wanted: (isThere: (key: string) => boolean) => Wanted
  /** Fails when nothing can be posted any more, whoever finds that first. */
  readonly over: Deferred.Deferred<never, ThreadShut>
  /** Whether it answers what was read late: then it lets what is said now go first. */
  readonly late?: boolean
  /** Fetches the bytes of a file; undefined when they cannot be had. */
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

/** Starts posting for one turn; the scope ends it. One call to Discord is in flight at a time. */
export const open = Effect.fn("Outbox.open")(function* (
  options: OutboxOptions
): Effect.fn.Return<Outbox, never, BotSettings | DiscordApi | Pace | Posts | Progress | Scope.Scope> {
  const api = yield* DiscordApi
  const pace = yield* Pace
  const clock = yield* Effect.clock
  const { rollAfterMs } = yield* BotSettings
  const posts = yield* Posts
  const { messages, over, threadId, turnId } = options
  /** Posts whose row is behind what they say. */
  const unsaved = new Set<string>()
  const own = yield* posts.ofTurn(turnId)
  const known = new Map([...(yield* posts.ofTurn(cardsOf(threadId))), ...own].map((posted) => [posted.key, posted]))
  const homeOf = (key: string) => (isCard(key) ? cardsOf(threadId) : turnId)
  const latch = yield* Effect.makeLatch(true)
  const visible = yield* Deferred.make<void, ThreadShut>()
  const waiting: Array<Deferred.Deferred<void>> = []
  /** Posts that ask somebody something: the next change of one of them is what became of it. */
  const asking = new Set<string>()
  const mover = (yield* Progress).watch(`A post in thread ${options.threadId}`)
  yield* Effect.addFinalizer(() => Effect.sync(mover.rests))
  const line: Line = { shown: own.length > 0, hurry: false, changedAt: undefined, owedSince: pace.now() }

  const note = (posted: Posted) => Effect.sync(() => known.set(posted.key, posted))

  const remember = (posted: Posted) => Effect.zipRight(posts.put(homeOf(posted.key), posted), note(posted))

  const create = Effect.fnUntraced(function* (calls: Calls, post: Post) {
    const files = filesHash(post)
    const before = known.get(post.key)
    // A message that was about to be created before may exist and say what was wanted then: it is edited next.
    const again = before !== undefined && before.messageId === undefined
    const old = before === undefined ? undefined : (before.messageId ?? insteadOf(before.hash))
    const body = yield* bodyOf(post, true)
    yield* remember({ key: post.key, messageId: undefined, hash: creating(body.content, old), files })
    const nonce = nonceOf(homeOf(post.key), old === undefined ? post.key : `${post.key} ${instead(old)}`)
    const messageId = yield* calls.create(threadId, body, { nonce })
    const created = remember({ key: post.key, messageId, hash: again ? "" : hashOf(post), files })
    return old === undefined ? created : Effect.zipRight(remember(replaced(old)), created)
  })

  /** A message that is too old to be edited is replaced by a new one, unless it says already what is wanted. */
  const replace = Effect.fnUntraced(function* (calls: Calls, { messageId, post, posted }: Change) {
    const files = filesHash(post)
    const body = { content: post.content, embeds: post.embeds, buttons: post.buttons }
    // Its row may only be behind: nobody saw it grow to its end.
    if (posted.files === files && (yield* calls.says(threadId, messageId, body))) {
      return remember({ ...posted, hash: hashOf(post) })
    }
    return yield* create(calls, post)
  })

  const edit = Effect.fnUntraced(function* (calls: Calls, { messageId, post, posted }: Change) {
    const files = filesHash(post)
    const body = yield* bodyOf(post, files !== posted.files)
    yield* calls.edit(threadId, messageId, body)
    const edited = { ...posted, hash: hashOf(post), files }
    if (files !== posted.files) return remember(edited)
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

  const bodyOf = Effect.fnUntraced(function* (post: Post, withFiles: boolean): Effect.fn.Return<MessageBody> {
    const body = { content: post.content, embeds: post.embeds, buttons: post.buttons }
    if (!withFiles) return body
    const loaded = yield* Effect.forEach(post.files, (file) =>
      Effect.map(options.load(file), (data) => ({ file, data }))
    )
    const missing = loaded.flatMap(({ data, file }) => (data === undefined ? [file] : []))
    const files = loaded.flatMap(({ data, file: { name } }): ReadonlyArray<Upload> =>
      data === undefined ? [] : [{ name, data }]
    )
    if (missing.length === 0) return { ...body, files }
    const words = missing.flatMap((file) => (file.preview === undefined ? [messages.shown.fileMissing(file.name)] : []))
    return {
      ...body,
      files,
      embeds: post.embeds.map(({ image, ...embed }) =>
        image === undefined || missing.some(({ name }) => name === image) ? embed : { ...embed, image }
      ),
      content: [post.content, ...words].join("\n").trim()
    }
  })

  const isThere = (key: string): boolean => {
    const posted = known.get(key)
    return posted !== undefined && (posted.messageId !== undefined || posted.hash === settled)
  }

  const isShown = (post: Post): boolean => {
    const hash = known.get(post.key)?.hash
    return hash === settled || hash === hashOf(post)
  }

  const isOld = (messageId: string): boolean => clock.unsafeCurrentTimeMillis() - timeOf(messageId) > rollAfterMs

  const isAsking = (post: Post): boolean => post.buttons.length > 0 && !isCard(post.key)

  const isPressing = (post: Post): boolean => (isAsking(post) || asking.has(post.key)) && !isShown(post)

  /**
   * The one call that brings the thread nearest to what is wanted: what is missing first, after the post before it is
   * complete; then what asks; then the rest in order. At a flush the order alone counts, so that the last post of a turn
   * comes when all before it is right.
   */
  const next = ({ goes, posts: wanted }: Wanted): Call | undefined => {
    const gone = [...known.values()].find(isReplaced)
    if (gone !== undefined) return { _tag: "Remove", posted: gone }
    const flushing = waiting.length > 0
    let change: Change | undefined
    for (const [index, post] of wanted.entries()) {
      const posted = known.get(post.key)
      if (posted?.hash === settled) continue
      if (posted?.messageId === undefined) {
        const first = flushing || (!line.hurry && change?.post === wanted[index - 1])
        return change !== undefined && first ? change : { _tag: "Create", post }
      }
      if (isShown(post)) continue
      if (isOld(posted.messageId)) {
        const replace: Call = { _tag: "Replace", post, posted, messageId: posted.messageId }
        return change !== undefined && flushing ? change : replace
      }
      if (change === undefined || (!flushing && isPressing(post) && !isPressing(change.post))) {
        change = { _tag: "Edit", post, posted, messageId: posted.messageId }
      }
    }
    if (change !== undefined) return change
    const keys = new Set(wanted.map((post) => post.key))
    const extra = [...known.values()].find(({ hash, key }) => !keys.has(key) && hash !== settled && goes(key))
    return extra === undefined ? undefined : { _tag: "Remove", posted: extra }
  }

  /** Makes the call; what it gives is still to be done, when the turn is over. */
  const perform = (calls: Calls, call: Call): Effect.Effect<Effect.Effect<unknown>, DiscordError> => {
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

  const recover = Effect.fnUntraced(function* (call: Call, error: DiscordError, failures: number) {
    // The next turn comes when Discord takes the call.
    if (error.status === 429) return yield* Effect.logDebug(`A post waits: ${error.message}`)
    if (isPassing(error)) {
      yield* Effect.logWarning(`A post waits: ${error.message}`)
      return yield* Effect.sleep(Math.min(10_000, 500 * 2 ** failures))
    }
    if (error.code === 50083) return yield* Effect.ignoreLogged(api.unarchive(threadId))
    if (isShut(error)) return yield* new ThreadShut({ threadId })
    const posted = call._tag === "Create" ? known.get(call.post.key) : call.posted
    if (posted === undefined) return
    yield* remember({ ...posted, hash: settled })
    if (isGone(error)) return
    yield* Effect.logError(`Discord refuses the post ${posted.key}`, error.message)
    if (call._tag !== "Create" || call.post.files.length === 0) return
    const names = call.post.files.map((file) => file.name).join(", ")
    const words = { content: messages.shown.fileRefused(names, oneLine(error.description, 200)) }
    const nonce = nonceOf(turnId, `${call.post.key}:refused`)
    yield* Effect.ignoreLogged(patiently(api.create(threadId, words, { nonce })))
  })

  const rank = (): Rank => ({
    priority: waiting.length > 0 || line.hurry ? "urgent" : line.shown || options.late === true ? "routine" : "first",
    since: line.changedAt ?? line.owedSince
  })

  const loop = Effect.gen(function* () {
    let failures = 0
    for (;;) {
      yield* latch.await
      yield* latch.close
      const flushing = waiting.length
      if (next(options.wanted(isThere)) === undefined) {
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
          const wanted = options.wanted(isThere)
          const call = next(wanted)
          line.hurry = false
          return call === undefined ? unused() : { call, wanted, made: yield* Effect.either(perform(calls, call)) }
        })
      )
      yield* latch.open
      if (used === undefined) continue
      const { call, made, wanted } = used
      if (Either.isLeft(made)) {
        yield* recover(call, made.left, failures++)
        continue
      }
      failures = 0
      mover.moved()
      yield* made.right
      if (call._tag !== "Remove") {
        line.shown = true
        if (isAsking(call.post)) asking.add(call.post.key)
        else asking.delete(call.post.key)
      }
      line.hurry ||= wanted.posts.some(isPressing)
      if (call._tag === "Create") yield* Deferred.succeed(visible, undefined)
    }
  })

  if (own.length > 0) yield* Deferred.succeed(visible, undefined)
  yield* Effect.forkScoped(
    Effect.onExit(Effect.zipRight(adopt(options, known), loop), (exit) =>
      Effect.zipRight(Deferred.done(visible, exit), Deferred.done(over, exit))
    )
  )
  return {
    changed: (how) => {
      line.changedAt ??= pace.now()
      mover.due()
      latch.unsafeOpen()
      if (how?.hurry !== true) return
      line.hurry = true
      pace.reconsider()
    },
    visible: Deferred.await(visible),
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

/**
 * A post that was about to be created when the bot was killed may be there: it is a new message of the bot then that
 * says what was to be said, and no row knows it.
 */
const adopt = Effect.fnUntraced(function* (
  { threadId, turnId }: OutboxOptions,
  known: Map<string, Posted>
): Effect.fn.Return<void, never, DiscordApi | Posts | Progress> {
  const about = [...known.values()].find(({ messageId }) => messageId === undefined)
  if (about === undefined) return
  const posts = yield* Posts
  const newest = [...known.values()].reduce(
    (most, { messageId }) => (messageId !== undefined && isNewer(messageId, most) ? messageId : most),
    turnId
  )
  const sent = (yield* Sent.after(threadId, newest))
    .filter(({ content, own }) => own === "message" && wasCreating(about.hash, content))
    .map(({ id }) => id)
  const others = yield* posts.known(sent)
  const messageId = sent.findLast((id) => !others.has(id))
  if (messageId === undefined) return
  const old = insteadOf(about.hash)
  for (const posted of [...(old === undefined ? [] : [replaced(old)]), { ...about, messageId, hash: "" }]) {
    yield* posts.put(isCard(posted.key) ? cardsOf(threadId) : turnId, posted)
    known.set(posted.key, posted)
  }
})

type Change = Extract<Call, { readonly messageId: string }>

type Call =
  | { readonly _tag: "Create"; readonly post: Post }
  | { readonly _tag: "Edit" | "Replace"; readonly post: Post; readonly posted: Posted; readonly messageId: string }
  | { readonly _tag: "Remove"; readonly posted: Posted }

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

const hashOf = (post: Post): string => {
  const known = hashes.get(post)
  if (known !== undefined) return known
  const hash = digest(JSON.stringify([post.content, post.embeds, post.buttons, filesHash(post)]))
  hashes.set(post, hash)
  return hash
}

const hashes = new WeakMap<Post, string>()

const filesHash = (post: Post): string =>
  post.files.length === 0 ? "" : digest(JSON.stringify(post.files.map((file) => [file.name, file.uri, file.version])))

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

/** The same post has the same nonce, so Discord itself refuses to show it twice. */
const nonceOf = (turnId: string, key: string): string => digest(`${turnId} ${key}`)
