import { createHash } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { type DiscordError, isGone, isPassing, isShut } from "../discord/DiscordError.ts"
import type { MessageBody, Upload } from "../discord/MessageBody.ts"
import type { FileRef, Post } from "../view/Post.ts"
import { type Posted, Posts, settled } from "./Posts.ts"

/** The thread was deleted or locked, or the bot may not write in it any more. */
export class ThreadShut extends Data.TaggedError("ThreadShut")<{ readonly threadId: string }> {}

/** What should be there now. `complete` allows to delete what is there and not wanted. */
export interface Wanted {
  readonly posts: ReadonlyArray<Post>
  readonly complete: boolean
}

/** Makes a thread equal to what one turn wants to show. */
export interface Outbox {
  /** Tells that what is wanted has changed; it is read when the next message can be sent, so old states are never sent. */
  readonly changed: () => void
  /** Waits until the thread shows what is wanted, without pacing. */
  readonly flush: Effect.Effect<void, ThreadShut>
  /** Waits until the first post of the turn is visible. */
  readonly visible: Effect.Effect<void, ThreadShut>
  /** Fails when nothing can be posted any more; never returns otherwise. */
  readonly over: Effect.Effect<never, ThreadShut>
}

export interface OutboxOptions {
  readonly threadId: string
  readonly turnId: string
  /** The least time between an edit and the call before it; creating and flushing do not wait. */
  readonly editIntervalMs: number
  readonly wanted: Effect.Effect<Wanted>
  /** Fetches the bytes of a file; undefined when they cannot be had. */
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

/** Starts posting for one turn; the scope ends it. One call to Discord is in flight at a time. */
export const open = Effect.fn("Outbox.open")(function* (
  options: OutboxOptions
): Effect.fn.Return<Outbox, never, DiscordApi | Posts | Scope.Scope> {
  const api = yield* DiscordApi
  const posts = yield* Posts
  const { threadId, turnId } = options
  const known = new Map((yield* posts.ofTurn(turnId)).map((posted) => [posted.key, posted]))
  const latch = yield* Effect.makeLatch(true)
  const urgent = yield* Effect.makeLatch(false)
  const visible = yield* Deferred.make<void>()
  const over = yield* Deferred.make<never, ThreadShut>()
  const waiting: Array<Deferred.Deferred<void>> = []
  let lastCall = 0

  const remember = (posted: Posted) => Effect.zipRight(posts.put(turnId, posted), Effect.sync(() => known.set(posted.key, posted)))

  const create = Effect.fnUntraced(function* (post: Post) {
    const files = filesHash(post)
    yield* remember({ key: post.key, messageId: undefined, hash: "", files })
    const messageId = yield* api.create(threadId, yield* bodyOf(post, true), { nonce: nonceOf(turnId, post.key) })
    yield* remember({ key: post.key, messageId, hash: hashOf(post), files })
  })

  const edit = Effect.fnUntraced(function* (post: Post, posted: Posted, messageId: string) {
    const files = filesHash(post)
    const body = yield* bodyOf(post, files !== posted.files)
    yield* api.edit(threadId, messageId, body)
    yield* remember({ ...posted, hash: hashOf(post), files })
  })

  const remove = (posted: Posted) =>
    (posted.messageId === undefined ? Effect.void : api.remove(threadId, posted.messageId)).pipe(
      Effect.catchIf((error) => error.code === 10008, () => Effect.void),
      Effect.zipRight(posts.forget(turnId, posted.key)),
      Effect.zipRight(Effect.sync(() => known.delete(posted.key)))
    )

  const bodyOf = Effect.fnUntraced(function* (post: Post, withFiles: boolean): Effect.fn.Return<MessageBody> {
    const body = { content: post.content, embeds: post.embeds, buttons: post.buttons }
    if (!withFiles) return body
    const loaded = yield* Effect.forEach(post.files, (file) =>
      Effect.map(options.load(file), (data): Upload | string => (data === undefined ? file.name : { name: file.name, data }))
    )
    const missing = loaded.filter((file) => typeof file === "string")
    const files = loaded.filter((file) => typeof file !== "string")
    if (missing.length === 0) return { ...body, files }
    return {
      ...body,
      files,
      embeds: post.embeds.map(({ image, ...embed }) => (image === undefined || missing.includes(image) ? embed : { ...embed, image })),
      content: [post.content, ...missing.map((name) => `📎 ${name} could not be fetched from the task.`)].join("\n").trim()
    }
  })

  type Call =
    | { readonly _tag: "Create"; readonly post: Post }
    | { readonly _tag: "Edit"; readonly post: Post; readonly posted: Posted; readonly messageId: string }
    | { readonly _tag: "Remove"; readonly posted: Posted }

  /** The one call that brings the thread nearest to what is wanted: what is missing first, in order. */
  const next = ({ complete, posts: wanted }: Wanted): Call | undefined => {
    let change: Call | undefined
    for (const post of wanted) {
      const posted = known.get(post.key)
      if (posted === undefined) return { _tag: "Create", post }
      if (posted.hash === settled) continue
      if (posted.messageId === undefined) return { _tag: "Create", post }
      if (change === undefined && posted.hash !== hashOf(post)) {
        change = { _tag: "Edit", post, posted, messageId: posted.messageId }
      }
    }
    if (change !== undefined || !complete) return change
    const keys = new Set(wanted.map((post) => post.key))
    const extra = [...known.values()].find((posted) => !keys.has(posted.key) && posted.hash !== settled)
    return extra === undefined ? undefined : { _tag: "Remove", posted: extra }
  }

  const perform = (call: Call) => {
    switch (call._tag) {
      case "Create":
        return create(call.post)
      case "Edit":
        return edit(call.post, call.posted, call.messageId)
      case "Remove":
        return remove(call.posted)
    }
  }

  const recover = Effect.fnUntraced(function* (call: Call, error: DiscordError, failures: number) {
    if (isPassing(error)) return yield* Effect.sleep(Math.min(10_000, 500 * 2 ** failures))
    if (error.code === 50083) return yield* Effect.ignoreLogged(api.unarchive(threadId))
    if (isShut(error)) return yield* new ThreadShut({ threadId })
    const posted =
      call._tag === "Create" ? known.get(call.post.key) : call.posted
    if (posted === undefined) return
    yield* remember({ ...posted, hash: settled })
    if (isGone(error)) return
    yield* Effect.logError(`Discord refuses the post ${posted.key}`, error.message)
    if (call._tag !== "Create" || call.post.files.length === 0) return
    const names = call.post.files.map((file) => file.name).join(", ")
    yield* Effect.ignoreLogged(
      api.create(
        threadId,
        { content: `📎 ${names} — Discord does not take this file (${error.description}). It stays in the task.` },
        { nonce: nonceOf(turnId, `${call.post.key}:refused`) }
      )
    )
  })

  /** Whether the call may be made now. While an edit waits for its time, what is wanted is looked at again and again. */
  const pace = Effect.fnUntraced(function* (call: Call) {
    if (call._tag === "Create" || waiting.length > 0) return true
    const left = lastCall + options.editIntervalMs - (yield* Clock.currentTimeMillis)
    if (left <= 0) return true
    yield* Effect.timeoutOption(urgent.await, Math.min(left, 150))
    return left <= 150
  })

  const loop = Effect.gen(function* () {
    let failures = 0
    for (;;) {
      yield* latch.await
      yield* latch.close
      const flushing = waiting.length
      const call = next(yield* options.wanted)
      if (call === undefined) {
        for (const each of waiting.splice(0, flushing)) yield* Deferred.succeed(each, undefined)
        if (waiting.length === 0) yield* urgent.close
        continue
      }
      yield* latch.open
      if (!(yield* pace(call))) continue
      const result = yield* Effect.either(perform(call))
      lastCall = yield* Clock.currentTimeMillis
      if (Either.isLeft(result)) {
        yield* recover(call, result.left, failures++)
      } else {
        failures = 0
        if (call._tag === "Create") yield* Deferred.succeed(visible, undefined)
      }
    }
  })

  if (known.size > 0) yield* Deferred.succeed(visible, undefined)
  yield* Effect.forkScoped(Effect.onExit(loop, (exit) => Deferred.done(over, exit)))
  return {
    changed: () => latch.unsafeOpen(),
    over: Deferred.await(over),
    visible: Effect.raceFirst(Deferred.await(visible), Deferred.await(over)),
    flush: Effect.gen(function* () {
      const shown = yield* Deferred.make<void>()
      waiting.push(shown)
      yield* urgent.open
      yield* latch.open
      yield* Effect.raceFirst(Deferred.await(shown), Deferred.await(over))
    })
  }
})

const hashOf = (post: Post): string => digest(JSON.stringify([post.content, post.embeds, post.buttons, filesHash(post)]))

const filesHash = (post: Post): string =>
  post.files.length === 0 ? "" : digest(JSON.stringify(post.files.map((file) => [file.name, file.md5 ?? file.uri])))

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22)

/** The same post has the same nonce, so Discord itself refuses to show it twice. */
const nonceOf = (turnId: string, key: string): string => digest(`${turnId} ${key}`)
