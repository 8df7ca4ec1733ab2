import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as Entry from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import { ArtifactContent, type ArtifactCard } from "@heddle/bot/model/ArtifactCard"
import * as ArtifactChanges from "@heddle/bot/model/ArtifactChanges"
import { column } from "@heddle/bot/store/database/Json"
import { assert, describe, it } from "@effect/vitest"

const entry = (artifact: object, more: object = {}): ArtifactEntry => Entry.fromJson({ artifact, ...more })!

const file = (name: string, md5: string, createdAt: number) =>
  entry({ type: "media", uri: name, name, mimeType: "image/png", size: 3, createdAt }, { md5 })

const plan = (text: string, version: number, previousText?: string) =>
  entry({ type: "plan", uri: "plan", title: "Plan", text, version, previousText })

const row = column(ArtifactContent)

/** As the rows give them back. */
const stored = (cards: ReadonlyArray<ArtifactCard>): ReadonlyArray<ArtifactCard> =>
  cards.map((card) => ({ ...card, body: row.read(row.write(card.body)) }))

/** The cards after several turns, each with what it learnt. */
const after = (...turns: ReadonlyArray<ReadonlyArray<ArtifactEntry>>) =>
  turns.reduce<ReadonlyArray<ArtifactCard>>(
    (before, entries, n) =>
      stored(
        ArtifactChanges.merge(
          before,
          ArtifactChanges.computeChanges(before, entries, [], { turnId: `turn ${n + 1}`, now: 100 }).cards
        )
      ),
    []
  )

const told = (cards: ReadonlyArray<ArtifactCard>) =>
  cards.map(({ changedIn, deleted, madeIn, number, uri }) => [number, uri, madeIn, changedIn, deleted])

describe("the cards of a thread", () => {
  it("keep the order of creation, their numbers, and the turns that made and changed them", () => {
    const cards = after([file("b", "2", 20), file("a", "1", 10)], [file("c", "3", 5), file("a", "9", 10)])
    assert.deepEqual(told(cards), [
      [3, "c", "turn 2", "turn 2", false],
      [1, "a", "turn 1", "turn 2", false],
      [2, "b", "turn 1", "turn 1", false]
    ])
  })

  it("ignore repeated updates, also after a restart", () => {
    const all = [
      plan("1", 1),
      file("a", "1", 1),
      file("b", "1", 2),
      entry({ type: "tasks", uri: "t", tasks: [{ content: "x", status: "new" }, { content: "y" }] }),
      entry({ type: "overview", uri: "o", text: "well" }),
      entry({ type: "hologram", uri: "h" })
    ]
    const cards = after(all)
    assert.strictEqual(cards.length, 6)
    assert.deepEqual(ArtifactChanges.computeChanges(cards, all, [], { turnId: "turn 2", now: 100 }), {
      cards: [],
      plans: []
    })
  })

  it("mark deleted artifacts, by notification or complete list, and restore returned ones", () => {
    const cards = after([file("a", "1", 1), file("b", "2", 2)])
    const nothing = ArtifactIndex.empty
    assert.deepEqual(ArtifactChanges.deletedCards(cards, nothing), [])
    assert.deepEqual(
      ArtifactChanges.deletedCards(cards, ArtifactIndex.load(nothing, [], { asOf: 0, complete: true })),
      cards
    )
    const pushed = ArtifactIndex.push(nothing, { ...file("a", "1", 1), deleted: true })
    const [gone] = ArtifactChanges.deletedCards(cards, pushed)
    const { cards: news } = ArtifactChanges.computeChanges(cards, [], [gone!], { turnId: "turn 2", now: 100 })
    assert.deepEqual(told(news), [[1, "a", "turn 1", "turn 2", true]])
    const before = ArtifactChanges.merge(cards, news)
    assert.deepEqual(ArtifactChanges.deletedCards(before, pushed), [])
    const again = ArtifactChanges.computeChanges(before, [file("a", "1", 1)], [], { turnId: "turn 3", now: 100 })
    assert.deepEqual(told(again.cards), [[1, "a", "turn 1", "turn 3", false]])
  })

  it("show equal files once; another one takes over when the first changes or disappears", () => {
    const cards = after([file("a", "1", 1), file("b", "1", 2), file("c", "1", 3)])
    const twins = (before: ReadonlyArray<ArtifactCard>) =>
      before.map(({ body }) => (body._tag === "Media" ? body.sameAs : ""))
    assert.deepEqual(twins(cards), [undefined, "a", "a"])
    // One that is older, but comes later, changes nothing of that.
    const late = ArtifactChanges.computeChanges(cards, [file("z", "1", 0)], [], { turnId: "turn 2", now: 100 })
    assert.deepEqual([late.cards.map(({ uri }) => uri), twins(late.cards)], [["z"], ["a"]])
    const changed = ArtifactChanges.computeChanges(cards, [file("a", "7", 1)], [], { turnId: "turn 2", now: 100 })
    assert.deepEqual(
      changed.cards.map(({ uri }) => uri),
      ["a", "b", "c"]
    )
    assert.deepEqual(twins(ArtifactChanges.merge(cards, changed.cards)), [undefined, undefined, "b"])
    const gone = ArtifactChanges.computeChanges(cards, [], cards.slice(0, 1), { turnId: "turn 2", now: 100 })
    assert.deepEqual(twins(ArtifactChanges.merge(cards, gone.cards)), [undefined, undefined, "b"])
  })

  it("show the changes of a plan's newest version, from the update or the stored text", () => {
    const change = (cards: ReadonlyArray<ArtifactCard>) =>
      cards.map(({ body }) => (body._tag === "Plan" && body.change !== undefined ? body.change.unified : undefined))[0]
    assert.isUndefined(change(after([plan("a", 1)])))
    assert.strictEqual(change(after([plan("a", 1)], [plan("b", 2)])), "@@ -1,1 +1,1 @@\n-a\n+b")
    assert.strictEqual(change(after([plan("b", 2, "c")])), "@@ -1,1 +1,1 @@\n-c\n+b")
    // Told again without the text before it, it is still the change.
    assert.strictEqual(change(after([plan("b", 2, "c")], [plan("b", 2)])), "@@ -1,1 +1,1 @@\n-c\n+b")
    const { plans } = ArtifactChanges.computeChanges(after([plan("a", 1)]), [plan("b", 3, "x")], [], {
      turnId: "2",
      now: 100
    })
    assert.deepEqual(plans, [{ uri: "plan", version: 3, text: "b", previousText: "x" }])
  })

  it("show a type that is not known by its name, type and public address", () => {
    const bodyOf = (more: object) =>
      after([entry({ type: "site", uri: "agent:///artifacts/shop", description: " Try it ", ...more })])[0]?.body
    const shown = { _tag: "Other", title: "shop", type: "site", description: "Try it" }
    assert.deepEqual(bodyOf({}), shown as ArtifactContent)
    assert.deepEqual(bodyOf({ name: "Shop", url: "https://shop.example" }), {
      ...shown,
      title: "Shop",
      link: "https://shop.example/"
    } as ArtifactContent)
    // A query may hold a credential.
    for (const url of ["https://shop.example/?key=1", "http://shop.example", "https://a:b@shop.example", "shop", 5])
      assert.deepEqual(bodyOf({ url }), shown as ArtifactContent)
  })

  it("wait for a file's hash until a list lacks it or the turn has ended", () => {
    const pushed = entry({ type: "media", uri: "a" })
    const index = ArtifactIndex.push(ArtifactIndex.empty, pushed)
    assert.isFalse(ArtifactChanges.isShowable(pushed, index, { isTurnOver: false }))
    assert.isTrue(ArtifactChanges.isShowable(pushed, index, { isTurnOver: true }))
    assert.isTrue(ArtifactChanges.isShowable(plan("a", 1), index, { isTurnOver: false }))
    // A list that has the file without a hash shows that none is to come.
    const listed = ArtifactIndex.load(index, [pushed], { asOf: index.revision, complete: true })
    assert.isTrue(ArtifactChanges.isShowable(pushed, listed, { isTurnOver: false }))
  })
})
