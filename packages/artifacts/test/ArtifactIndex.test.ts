import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

const overview = (uri: string, text: string, updatedAt?: number, deleted = false): ArtifactEntry => ({
  artifact: { type: "overview", uri, text, ...(updatedAt === undefined ? {} : { updatedAt }) },
  deleted
})

const texts = (index: ArtifactIndex.ArtifactIndex) =>
  ArtifactIndex.toArray(index).map(({ artifact }) => (artifact.type === "overview" ? artifact.text : artifact.type))

const byUri = (index: ArtifactIndex.ArtifactIndex) =>
  new Map([...ArtifactIndex.values(index)].map((entry) => [entry.artifact.uri, entry]))

/** What a session did with a few uris, one change after the other, and what is left of it. */
const histories = FastCheck.array(
  FastCheck.record({
    uri: FastCheck.constantFrom("a", "b", "c"),
    deleted: FastCheck.boolean(),
    dated: FastCheck.boolean()
  }),
  { minLength: 1, maxLength: 12 }
).map((changes) => {
  const entries = changes.map(({ uri, deleted }, at) => overview(`agent:///${uri}`, `${uri}${at}`, at + 1, deleted))
  return {
    // Of a deleted artifact a push need not tell more than its type and uri.
    pushes: entries.map((entry, at) =>
      entry.deleted && changes[at]?.dated === false ? overview(entry.artifact.uri, "", undefined, true) : entry
    ),
    datedPushes: entries,
    listAt: (time: number) => {
      const left = new Map(entries.slice(0, time).map((entry) => [entry.artifact.uri, entry]))
      return [...left.values()].filter(({ deleted }) => !deleted)
    },
    length: entries.length
  }
})

/** What a client may meet: pushes in any order, twice or never, and lists as they were at any time before. */
const scenarios = histories.chain((history) => {
  const pushes = FastCheck.shuffledSubarray([...history.pushes, ...history.pushes])
  const lists = FastCheck.array(
    FastCheck.record({ time: FastCheck.nat(history.length), before: pushes, during: pushes }),
    { maxLength: 3 }
  )
  return FastCheck.record({ history: FastCheck.constant(history), lists, last: pushes })
})

const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 500)

describe("ArtifactIndex", () => {
  it("ends in the server's state after one list, whatever pushes and stale lists came before", () => {
    FastCheck.assert(
      FastCheck.property(scenarios, ({ history, last, lists }) => {
        let index = ArtifactIndex.empty
        for (const { before, during, time } of lists) {
          index = before.reduce(ArtifactIndex.push, index)
          const asOf = index.revision
          index = during.reduce(ArtifactIndex.push, index)
          index = ArtifactIndex.load(index, history.listAt(time), { asOf, complete: true })
        }
        index = last.reduce(ArtifactIndex.push, index)
        const list = history.listAt(history.length)
        const settled = ArtifactIndex.load(index, list, { asOf: index.revision, complete: true })
        assert.deepStrictEqual(byUri(settled), new Map(list.map((entry) => [entry.artifact.uri, entry])))
      }),
      { numRuns: rounds }
    )
  })

  it("keeps what is newer than a stale list, and what is deleted stays deleted", () => {
    FastCheck.assert(
      FastCheck.property(
        histories.chain((history) =>
          FastCheck.tuple(FastCheck.constant(history), FastCheck.nat(history.length), FastCheck.boolean())
        ),
        ([history, time, late]) => {
          const index = history.datedPushes.reduce(ArtifactIndex.push, ArtifactIndex.empty)
          const options = { asOf: late ? index.revision : 0, complete: false }
          const loaded = ArtifactIndex.load(index, history.listAt(time), options)
          assert.deepStrictEqual(byUri(loaded), byUri(index))
        }
      ),
      { numRuns: rounds }
    )
  })

  it("needs no second list when every push arrives", () => {
    FastCheck.assert(
      FastCheck.property(
        histories.chain(({ datedPushes: all, length, listAt }) =>
          FastCheck.tuple(
            FastCheck.constant(listAt(length)),
            FastCheck.shuffledSubarray(all, { minLength: all.length })
          )
        ),
        ([list, pushes]) => {
          const index = pushes.reduce(ArtifactIndex.push, ArtifactIndex.empty)
          assert.deepStrictEqual(byUri(index), new Map(list.map((entry) => [entry.artifact.uri, entry])))
        }
      ),
      { numRuns: rounds }
    )
  })

  it("does not let a list that was asked for earlier undo a push or a deletion without times", () => {
    const asked = ArtifactIndex.push(ArtifactIndex.empty, overview("agent:///a", "old"))
    const pushed = [overview("agent:///a", "new"), overview("agent:///b", "b", undefined, true)].reduce(
      ArtifactIndex.push,
      asked
    )
    const stale = [overview("agent:///a", "old"), overview("agent:///b", "b")]
    assert.deepStrictEqual(texts(ArtifactIndex.load(pushed, stale, { asOf: asked.revision, complete: true })), ["new"])
  })

  it("keeps what was pushed after the question, and drops what was there before it and is not in the answer", () => {
    const asked = ArtifactIndex.push(ArtifactIndex.empty, overview("agent:///a", "before", 1))
    const pushed = ArtifactIndex.push(asked, overview("agent:///b", "after", 2))
    assert.deepStrictEqual(texts(ArtifactIndex.load(pushed, [], { asOf: asked.revision, complete: true })), ["after"])
    assert.deepStrictEqual(texts(ArtifactIndex.load(pushed, [], { asOf: asked.revision, complete: false })), [
      "before",
      "after"
    ])
  })

  it("takes a list that was asked for later, with what came back and without what is gone", () => {
    const deleted = [
      overview("agent:///a", "a", 1),
      overview("agent:///b", "b", 1),
      overview("agent:///b", "b", 2, true)
    ].reduce(ArtifactIndex.push, ArtifactIndex.empty)
    const list = [overview("agent:///b", "b again", 3)]
    assert.deepStrictEqual(texts(ArtifactIndex.load(deleted, list, { asOf: deleted.revision, complete: true })), [
      "b again"
    ])
    assert.deepStrictEqual(
      texts(ArtifactIndex.load(deleted, list, { asOf: deleted.revision, complete: false })).sort(),
      ["a", "b again"]
    )
  })

  it("goes by the version among equal times, and lets a version go back where no time speaks", () => {
    const plan = (version: number, updatedAt?: number): ArtifactEntry => ({
      artifact: { type: "plan", uri: "agent:///p", text: `v${version}`, version, updatedAt },
      deleted: false
    })
    const version = (index: ArtifactIndex.ArtifactIndex) => {
      const artifact = ArtifactIndex.get(index, "agent:///p")?.artifact
      return artifact?.type === "plan" ? artifact.version : undefined
    }
    const second = ArtifactIndex.push(ArtifactIndex.empty, plan(2, 5))
    assert.strictEqual(version(ArtifactIndex.push(second, plan(1, 5))), 2)
    assert.strictEqual(version(ArtifactIndex.push(second, plan(1, 6))), 1)
    const undated = ArtifactIndex.push(ArtifactIndex.empty, plan(2))
    assert.strictEqual(version(ArtifactIndex.push(undated, plan(1))), 2)
    assert.strictEqual(version(ArtifactIndex.load(undated, [plan(1)], { asOf: undated.revision, complete: true })), 1)
    assert.strictEqual(version(ArtifactIndex.load(undated, [plan(1)], { asOf: 0, complete: true })), 2)
  })

  it("leaves the indexes before a fold as they were", () => {
    const one = ArtifactIndex.push(ArtifactIndex.empty, overview("agent:///a", "1", 1))
    const two = ArtifactIndex.load(one, [overview("agent:///b", "2", 2)], { asOf: one.revision, complete: true })
    assert.deepStrictEqual([texts(ArtifactIndex.empty), texts(one), texts(two)], [[], ["1"], ["2"]])
    assert.isUndefined(ArtifactIndex.get(two, "agent:///a"))
  })
})
