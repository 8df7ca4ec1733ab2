import { assert, describe, it } from "@effect/vitest"
import { english } from "@heddle/bot/messages/Translations"
import * as Post from "@heddle/bot/model/Post"
import * as NextCall from "@heddle/bot/outbox/NextCall"
import { creatingMarker, type Posted, refused, replaced, settled } from "@heddle/bot/store/Posts"
import { post, posted } from "./PostRows.ts"

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
