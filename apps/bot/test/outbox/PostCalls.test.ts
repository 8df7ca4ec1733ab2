import { assert, describe, it } from "@effect/vitest"
import type { Calls } from "@heddle/bot/discord/RateLimitedCalls"
import { DiscordApi } from "@heddle/bot/discord/DiscordApi"
import { timeOf } from "@heddle/bot/discord/Snowflake"
import { DiscordError } from "@heddle/bot/discord/DiscordError"
import { english } from "@heddle/bot/messages/Translations"
import * as Post from "@heddle/bot/model/Post"
import type { OutboxState } from "@heddle/bot/outbox/OutboxState"
import * as NextCall from "@heddle/bot/outbox/NextCall"
import * as PostRecovery from "@heddle/bot/outbox/PostRecovery"
import * as PostCalls from "@heddle/bot/outbox/PostCalls"
import {
  creatingMarker,
  isBegun,
  isCreating,
  parseRefusal,
  type Posted,
  Posts,
  refused,
  replaced,
  settled
} from "@heddle/bot/store/Posts"
import * as Effect from "effect/Effect"

/** An outbox whose calls and rows are recorded in their order. */
const recorded = (existing: ReadonlyArray<Posted> = [], failing: ReadonlyArray<string> = []) => {
  const steps: Array<string> = []
  const nonces: Array<string> = []
  const replies: Array<string | undefined> = []
  const step = <A>(text: string, result: A) =>
    Effect.suspend(() => {
      steps.push(text)
      return failing.some((each) => text.startsWith(each))
        ? Effect.fail(new DiscordError({ status: 404, code: 10008, description: "gone", route: "" } as never))
        : Effect.succeed(result)
    })
  const calls = {
    create: (_: string, __: unknown, { nonce, replyTo }: { readonly nonce: string; readonly replyTo?: string }) => {
      nonces.push(nonce)
      replies.push(replyTo)
      return step("create", "m-new")
    },
    edit: (_: string, id: string) => step(`edit ${id}`, Date.UTC(2026, 0, 1)),
    remove: (_: string, id: string) => step(`remove ${id}`, undefined),
    hasContent: (_: string, id: string) => step(`look at ${id}`, false)
  } as unknown as Calls
  const rowOf = ({ hash, key, messageId }: Posted) =>
    `row ${key} ${messageId ?? "-"} ${isBegun(hash) ? "begun" : hash === "" ? "unknown" : "known"}`
  const posts = {
    put: (turnId: string, posted: Posted) => Effect.sync(() => void steps.push(`${turnId}: ${rowOf(posted)}`)),
    remove: (turnId: string, key: string) => Effect.sync(() => void steps.push(`${turnId}: no row ${key}`)),
    knownMessageIds: () => Effect.succeed(new Set(existing.map(({ messageId }) => messageId)))
  } as unknown as Posts["Type"]
  const self = {
    options: {
      threadId: "t",
      turnId: "100000",
      messages: {} as never,
      load: () => Effect.succeed(undefined),
      replyTo: (key: string) => Effect.succeed(key === "answer" ? "question" : undefined),
      onRefused: () => Effect.void
    },
    existing: new Map(existing.map((posted) => [posted.key, posted])),
    unsaved: new Set<string>(),
    lostSince: new Map<string, number>(),
    givenUp: new Set<string>(),
    failingSince: undefined,
    othersPassed: false,
    stuckAfterMs: 1000,
    now: () => 0
  } as unknown as OutboxState
  const perform = (call: Parameters<typeof PostCalls.perform>[2]) =>
    Effect.runPromise(
      Effect.flatten(PostCalls.perform(self, calls, call)).pipe(Effect.provideService(Posts, posts), Effect.either)
    )
  /** Searches a message among those of the thread; the bot's have an `own`. */
  const search = (
    one: Posted,
    thread: ReadonlyArray<{ readonly id: string; readonly content: string; readonly own?: object }>,
    isDesired = false
  ) => {
    const messagesAfter = (_: string, after: string) =>
      step(
        `read after ${after}`,
        thread.filter(({ id }) => Number(id) > Number(after))
      )
    return Effect.flatten(PostCalls.search(self, { _tag: "Search", posted: one, isDesired })).pipe(
      Effect.provideService(Posts, posts),
      Effect.provideService(DiscordApi, { messagesAfter } as unknown as DiscordApi["Type"]),
      Effect.either,
      Effect.runPromise
    )
  }
  /** After a failure: typing passes, so the call fails alone. */
  const recover = (call: NextCall.Call, status: number) => {
    const api = { typing: () => step("typing", undefined), messagesAfter: () => step("read", []) }
    const error = new DiscordError({ status, code: 0, description: "failed", route: "" } as never)
    return PostRecovery.recover(self, call, error, 0).pipe(
      Effect.provideService(Posts, posts),
      Effect.provideService(DiscordApi, api as unknown as DiscordApi["Type"]),
      Effect.runPromise
    )
  }
  return { perform, recover, search, self, steps, nonces, replies }
}

const posted = (key: string, more: Partial<Posted> = {}): Posted => ({
  key,
  messageId: `m-${key}`,
  hash: "h",
  files: "",
  ...more
})
const post = (key: string, content = key) => Post.text(key, content)

describe("a call to Discord", () => {
  it("has a row before the message is created, and its id after that", async () => {
    const { perform, steps } = recorded()
    await perform({ _tag: "Create", post: post("answer") })
    assert.deepStrictEqual(steps, ["100000: row answer - begun", "create", "100000: row answer m-new known"])
  })

  it("has the same nonce for the same post of the same turn, and another one for each other post", async () => {
    const { nonces, perform, replies } = recorded()
    for (const key of ["answer", "more"]) await perform({ _tag: "Create", post: post(key) })
    const again = recorded([posted("answer", { messageId: undefined, hash: creatingMarker("answer") })])
    await again.perform({ _tag: "Create", post: post("answer", "grown meanwhile") })
    assert.strictEqual(again.nonces[0], nonces[0])
    assert.notStrictEqual(nonces[0], nonces[1])
    assert.deepStrictEqual(replies, ["question", undefined])
    assert.strictEqual(again.steps.at(-1), "100000: row answer m-new unknown", "the message may have older text")
    const instead = recorded([posted("answer", { messageId: "55" })])
    await instead.perform({
      _tag: "Replace",
      post: post("answer"),
      posted: posted("answer", { messageId: "55" }),
      messageId: "55"
    })
    assert.notStrictEqual(instead.nonces[0], nonces[0], "a message that replaces another is a new one")
  })

  it("that creates once more has the contents of all tries, each of which may have made the message", () => {
    const twice = creatingMarker("new", creatingMarker("old"))
    assert.deepStrictEqual(
      ["old", "new", "other"].map((content) => isCreating(twice, content)),
      [true, true, false]
    )
    assert.strictEqual(creatingMarker("old", twice), twice)
    assert.strictEqual(creatingMarker("new", refused("h", "too long")), creatingMarker("new"))
  })

  it("that creates after a refusal knows what the message has", async () => {
    const { perform, steps } = recorded([posted("answer", { messageId: undefined, hash: refused("h", "too long") })])
    await perform({ _tag: "Create", post: post("answer") })
    assert.strictEqual(steps.at(-1), "100000: row answer m-new known")
  })

  it("that replaces a message remembers the old one until it is deleted", async () => {
    const old = posted("answer", { messageId: "55" })
    const { perform, self, steps } = recorded([old])
    await perform({ _tag: "Replace", post: post("answer"), posted: old, messageId: "55" })
    assert.deepStrictEqual(steps, [
      "look at 55",
      "100000: row answer 55 begun",
      "create",
      "100000: row replaced:55 55 unknown",
      "100000: row answer m-new known"
    ])
    assert.isTrue(self.existing.has(replaced("55").key))
  })

  it("that edits a request says before that its row is unknown, and other edits are stored later", async () => {
    const [asked, text] = [posted("asked:1"), posted("text")]
    const { perform, self, steps } = recorded([asked, text])
    await perform({ _tag: "Edit", post: post("asked:1"), posted: asked, messageId: "m-asked:1" })
    await perform({ _tag: "Edit", post: post("text"), posted: text, messageId: "m-text" })
    assert.deepStrictEqual(steps, ["100000: row asked:1 m-asked:1 unknown", "edit m-asked:1", "edit m-text"])
    assert.deepStrictEqual([...self.unsaved], ["asked:1", "text"])
    assert.strictEqual(self.existing.get("text")?.hash, Post.hashOf(post("text")))
  })

  it("that shows the end in the last line of a post has a row for it before, and Discord's time after that", async () => {
    const words = { ...post("text", "words\n-# done"), end: post("end", "-# done") }
    const created = recorded()
    await created.perform({ _tag: "Create", post: words })
    assert.deepStrictEqual(created.steps, [
      "100000: row text - begun",
      "100000: row end-line - unknown",
      "create",
      "100000: row text m-new known",
      "100000: row end-line m-new known"
    ])
    const edited = recorded([posted("text")])
    const edit = { _tag: "Edit", post: words, posted: posted("text"), messageId: "m-text" } as const
    await edited.perform(edit)
    const id = edited.self.existing.get(Post.endLineKey)?.messageId ?? ""
    assert.strictEqual(timeOf(id), Date.UTC(2026, 0, 1))
    assert.deepStrictEqual(edited.steps, [
      "100000: row end-line - unknown",
      "edit m-text",
      "100000: row text m-text known",
      `100000: row end-line ${id} known`
    ])
    await edited.perform(edit)
    assert.strictEqual(edited.steps.filter((step) => step.includes("end-line")).length, 2, "people saw it before")
  })

  it("that replaces a message once more does not look at it, and has the nonce of the first try", async () => {
    const replace = (old: Posted) => ({ _tag: "Replace", post: post("answer"), posted: old, messageId: "55" }) as const
    const old = posted("answer", { messageId: "55" })
    const first = recorded([old])
    await first.perform(replace(old))
    const begun = posted("answer", { messageId: "55", hash: creatingMarker("older") })
    const { nonces, perform, steps } = recorded([begun])
    await perform(replace(begun))
    assert.deepStrictEqual(nonces, first.nonces)
    assert.notInclude(steps, "look at 55")
    assert.strictEqual(steps.at(-1), "100000: row answer m-new unknown", "the first try may have made it")
  })

  it("that fails alone is given up after the second failure: an outage may end between two calls", async () => {
    const call = { _tag: "Create", post: post("answer") } as const
    const { recover, self } = recorded([posted("answer", { messageId: undefined, hash: creatingMarker("answer") })])
    self.failingSince = -Infinity
    const isGivenUp = () => parseRefusal(self.existing.get("answer")!.hash) !== undefined
    await recover(call, 500)
    assert.isFalse(isGivenUp())
    await recover(call, 0)
    await recover(call, 500)
    assert.isFalse(isGivenUp(), "Discord was away in between")
    await recover(call, 500)
    assert.isTrue(isGivenUp())
  })

  describe("that searches for a message whose creation failed", () => {
    const unconfirmed = (key: string, content: string, messageId?: string) =>
      posted(key, { messageId, hash: creatingMarker(content) })
    const own = {}

    it("notes its id, so that it is deleted", async () => {
      const queue = unconfirmed("queue", "one waits")
      const { search, self } = recorded([posted("answer", { messageId: "100050" }), queue])
      await search(queue, [
        { id: "100049", content: "one waits", own },
        { id: "100050", content: "words", own },
        { id: "100051", content: "one waits", own },
        { id: "100052", content: "else", own },
        { id: "100053", content: "one waits" }
      ])
      assert.strictEqual(self.existing.get("queue")?.messageId, "100051")
    })

    it("removes its row where Discord has not made it", async () => {
      const queue = unconfirmed("queue", "one waits")
      const { search, self, steps } = recorded([posted("answer", { messageId: "100050" }), queue])
      await search(queue, [{ id: "100051", content: "else", own }])
      assert.deepStrictEqual(steps, ["read after 100050", "100000: no row queue"])
      assert.isFalse(self.existing.has("queue"))
    })

    it("keeps the message that it was to replace, also where others are searched", async () => {
      const [card, queue] = [unconfirmed("asked:1", "", "100050"), unconfirmed("queue", "one waits")]
      const { search, self, steps } = recorded([card, queue])
      const thread = [{ id: "100050", content: "", own }]
      await search(queue, thread)
      assert.deepStrictEqual([...self.existing.values()], [card])
      assert.strictEqual(steps[0], "read after 100050")
      await search(card, thread)
      assert.strictEqual(self.existing.get("asked:1")?.messageId, "100050")
      assert.strictEqual(self.existing.get("asked:1")?.hash, "")
      assert.isFalse(self.existing.has(replaced("100050").key))
    })

    it("keeps the row of a desired post, which is sent again", async () => {
      const answer = unconfirmed("answer", "words")
      const { search, self } = recorded([answer])
      await search(answer, [], true)
      assert.strictEqual(self.existing.get("answer"), answer)
    })

    it("keeps its row where the thread cannot be read", async () => {
      const queue = unconfirmed("queue", "one waits")
      const { search, self } = recorded([queue], ["read"])
      assert.strictEqual((await search(queue, []))._tag, "Left")
      assert.strictEqual(self.existing.get("queue"), queue)
    })
  })

  it("that deletes a message removes its row afterwards, also where a person was faster", async () => {
    for (const failing of [[], ["remove"]]) {
      const { perform, self, steps } = recorded([posted("answer"), posted("card:1")], failing)
      await perform({ _tag: "Remove", posted: posted("answer") })
      await perform({ _tag: "Remove", posted: posted("card:1") })
      assert.deepStrictEqual(steps, [
        "remove m-answer",
        "100000: no row answer",
        "remove m-card:1",
        "cards:t: no row card:1"
      ])
      assert.strictEqual(self.existing.size, 0)
    }
  })
})

describe("the next call", () => {
  const thread = (existing: ReadonlyArray<Posted>, more: Partial<NextCall.ThreadState> = {}): NextCall.ThreadState => ({
    existing: new Map(existing.map((each) => [each.key, each])),
    openRequestKeys: new Set(),
    isTooOld: () => false,
    lostCreation: () => undefined,
    isFlushing: false,
    isHurried: false,
    ...more
  })
  const shown = (one: Post.Post, more: Partial<Posted> = {}) => posted(one.key, { hash: Post.hashOf(one), ...more })
  const next = (posts: ReadonlyArray<Post.Post>, state: NextCall.ThreadState, isOutdated = () => false) => {
    const call = NextCall.next({ posts, isOutdated }, state)
    return call === undefined ? undefined : `${call._tag} ${NextCall.keyOf(call)}`
  }
  const [a, b, c] = [post("a"), post("b"), post("c")]
  const request: Post.Post = { ...post("asked:1"), rows: [[{ label: "Yes", style: "success", customId: "p1:1:0" }]] }

  it("of two missing posts is the first, and completes the post before it", () => {
    assert.strictEqual(next([a, b], thread([])), "Create a")
    assert.strictEqual(next([a, b], thread([shown(a)])), "Create b")
    assert.strictEqual(next([a, b], thread([posted("a")])), "Edit a")
    assert.strictEqual(next([a, b, c], thread([posted("a"), shown(b)])), "Create c", "only the post right before it")
    assert.strictEqual(next([a, b, c], thread([posted("a"), shown(b)], { isFlushing: true })), "Edit a")
    assert.strictEqual(next([a, b], thread([posted("a")], { isHurried: true })), "Create b")
  })

  it("of two outdated posts is the first, but a request goes before text", () => {
    assert.strictEqual(next([a, b], thread([posted("a"), posted("b")])), "Edit a")
    assert.strictEqual(next([a, request], thread([posted("a"), posted("asked:1")])), "Edit asked:1")
    assert.strictEqual(next([a, request], thread([posted("a"), posted("asked:1")], { isFlushing: true })), "Edit a")
  })

  it("of several posts that grow is another one each time, but no request waits", () => {
    const [first, second] = [posted("a"), posted("b")]
    assert.strictEqual(next([a, b], thread([first, second], { lastKey: "a" })), "Edit b")
    assert.strictEqual(next([a, b], thread([first, second], { lastKey: "b" })), "Edit a")
    assert.strictEqual(next([a, b, c], thread([first, second, posted("c")], { lastKey: "b" })), "Edit c")
    assert.strictEqual(next([a, b], thread([first, second], { lastKey: "a", isFlushing: true })), "Edit a")
    assert.strictEqual(next([request, b], thread([posted("asked:1"), second], { lastKey: "asked:1" })), "Edit asked:1")
  })

  it("shows the end as a post where the post with its line was rejected or deleted", () => {
    const end = post("end", "-# done")
    const words = { ...post("text", "words\n-# done"), end }
    const desired = (...existing: ReadonlyArray<Posted>) =>
      NextCall.withRefusals(
        { posts: [words], isOutdated: () => false },
        new Map(existing.map((each) => [each.key, each])),
        english
      ).posts.map(({ key }) => key)
    const rejected = posted("text", { hash: refused(Post.hashOf(words), "blocked") })
    const deleted = posted("text", { hash: settled })
    assert.deepStrictEqual(desired(posted("text")), ["text"])
    assert.deepStrictEqual(desired(rejected, posted(Post.endLineKey, { messageId: undefined, hash: "" })), [
      "text",
      "refused:text",
      "end"
    ])
    assert.deepStrictEqual(desired(deleted), ["text", "end"])
    assert.deepStrictEqual(desired(deleted, posted(Post.endLineKey)), ["text"], "people saw the end before")
  })

  it("shows the end below words when all other posts are right, and the words before", () => {
    const end = { ...post("end", "-# done"), rows: request.rows }
    const words = { ...post("text", "words\n-# done"), rows: end.rows, end }
    const content = (posts: ReadonlyArray<Post.Post>, ...existing: ReadonlyArray<Posted>) => {
      const call = NextCall.next({ posts, isOutdated: () => false }, thread(existing, { isFlushing: true }))
      return call === undefined || !("post" in call) ? undefined : [call.post.content, call.post.rows.length]
    }
    const card = post("card:a")
    assert.deepStrictEqual(content([words, card]), ["words", 0])
    assert.deepStrictEqual(content([words, card], shown(post("text", "words"))), ["card:a", 0])
    assert.deepStrictEqual(content([words, card], shown(post("text", "words")), posted("card:a")), ["card:a", 0])
    assert.deepStrictEqual(content([words, card], shown(post("text", "words")), shown(card)), ["words\n-# done", 1])
    assert.deepStrictEqual(content([words, card], posted("text"), shown(card)), ["words\n-# done", 1], "in one call")
    const refusal = posted("text", { hash: refused(Post.hashOf(words), "blocked") })
    assert.deepStrictEqual(content([words, card], refusal), ["card:a", 0])
    assert.deepStrictEqual(
      content([words, card], posted("text"), posted(Post.endLineKey)),
      ["words\n-# done", 1],
      "people saw it before"
    )
  })

  it("deletes what replaced posts left first, and what is outdated last", () => {
    assert.strictEqual(next([a], thread([replaced("55")])), "Remove replaced:55")
    assert.strictEqual(
      next([a], thread([posted("old"), shown(a)]), () => true),
      "Remove old"
    )
    assert.isUndefined(next([a], thread([posted("old"), shown(a)])))
    assert.isUndefined(next([a], thread([posted("old", { hash: settled }), shown(a)]), () => true))
  })

  it("searches for a message that a failed creation may have made, and only a desired one is sent again", () => {
    const queue = posted("queue", { messageId: undefined, hash: creatingMarker("queue") })
    const lost = (how: "Forgotten" | "Remembered") => thread([queue], { lostCreation: () => how })
    for (const how of ["Forgotten", "Remembered"] as const) {
      assert.strictEqual(
        next([a], lost(how), () => true),
        "Search queue"
      )
      assert.strictEqual(next([a], lost(how)), "Create a", "it may be desired later")
    }
    assert.strictEqual(next([post("queue")], lost("Remembered")), "Create queue", "its nonce finds the message")
    assert.strictEqual(next([post("queue")], lost("Forgotten")), "Search queue")
    assert.strictEqual(
      next([], thread([queue]), () => true),
      "Remove queue",
      "it was not found, or Discord refused it"
    )
  })

  it("leaves alone what a person deleted and what Discord refused, until it changes", () => {
    assert.isUndefined(next([a], thread([posted("a", { messageId: undefined, hash: settled })])))
    const refusal = posted("a", { messageId: undefined, hash: refused(Post.hashOf(a), "too long") })
    assert.isUndefined(next([a], thread([refusal])))
    assert.strictEqual(next([post("a", "shorter")], thread([refusal])), "Create a")
  })

  it("replaces a message that is too old", () => {
    assert.strictEqual(next([a], thread([posted("a")], { isTooOld: () => true })), "Replace a")
    assert.strictEqual(next([a], thread([shown(a)], { isTooOld: () => true })), undefined)
    assert.strictEqual(next([a], thread([posted("a", { hash: creatingMarker("a") })])), "Replace a", "once more")
  })
})
