import { assert, describe, it } from "@effect/vitest"
import type { Calls } from "@heddle/bot/discord/RateLimitedCalls"
import { DiscordApi } from "@heddle/bot/discord/DiscordApi"
import { timeOf } from "@heddle/bot/discord/Snowflake"
import { DiscordError } from "@heddle/bot/discord/DiscordError"
import * as Post from "@heddle/bot/model/Post"
import type { OutboxState } from "@heddle/bot/outbox/OutboxState"
import type * as NextCall from "@heddle/bot/outbox/NextCall"
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
  replaced
} from "@heddle/bot/store/Posts"
import * as Effect from "effect/Effect"
import { post, posted } from "./PostRows.ts"

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
  /** Searches for a message among those of the thread; the bot's have an `own`. */
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
    const begun = (key: string, content: string, messageId?: string) =>
      posted(key, { messageId, hash: creatingMarker(content) })
    const own = {}

    it("notes its id, so that it is deleted", async () => {
      const queue = begun("queue", "one waits")
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
      const queue = begun("queue", "one waits")
      const { search, self, steps } = recorded([posted("answer", { messageId: "100050" }), queue])
      await search(queue, [{ id: "100051", content: "else", own }])
      assert.deepStrictEqual(steps, ["read after 100050", "100000: no row queue"])
      assert.isFalse(self.existing.has("queue"))
    })

    it("keeps the message that it was to replace, also where the search is for another one", async () => {
      const [card, queue] = [begun("asked:1", "", "100050"), begun("queue", "one waits")]
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
      const answer = begun("answer", "words")
      const { search, self } = recorded([answer])
      await search(answer, [], true)
      assert.strictEqual(self.existing.get("answer"), answer)
    })

    it("keeps its row where the thread cannot be read", async () => {
      const queue = begun("queue", "one waits")
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
