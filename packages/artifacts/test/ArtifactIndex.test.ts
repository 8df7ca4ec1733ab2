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

/** What a session did with a few uris, one change after the other, and what is left of it. */
const histories = FastCheck.array(
  FastCheck.record({ uri: FastCheck.constantFrom("a", "b", "c"), deleted: FastCheck.boolean() }),
  {
    minLength: 1,
    maxLength: 12
  }
).map((changes) => {
  const pushes = changes.map(({ uri, deleted }, at) => overview(`agent:///${uri}`, `${uri}${at}`, at + 1, deleted))
  const left = new Map(pushes.map((entry) => [entry.artifact.uri, entry]))
  return { pushes, list: [...left.values()].filter(({ deleted }) => !deleted) }
})

const scenarios = histories.chain(({ pushes, list }) =>
  FastCheck.record({
    list: FastCheck.constant(list),
    before: FastCheck.shuffledSubarray([...pushes, ...pushes]),
    during: FastCheck.shuffledSubarray([...pushes, ...pushes]),
    after: FastCheck.shuffledSubarray([...pushes, ...pushes])
  })
)

describe("ArtifactIndex", () => {
  it("ends in the server's state, however pushes are shuffled, doubled and dropped around a list", () => {
    FastCheck.assert(
      FastCheck.property(scenarios, ({ list, before, during, after }) => {
        const asked = before.reduce(ArtifactIndex.push, ArtifactIndex.empty)
        const pushed = during.reduce(ArtifactIndex.push, asked)
        const loaded = ArtifactIndex.load(pushed, list, { asOf: asked.revision, complete: true })
        const last = after.reduce(ArtifactIndex.push, loaded)
        const settled = ArtifactIndex.load(last, list, { asOf: last.revision, complete: true })
        assert.deepStrictEqual(new Map(settled.entries), new Map(list.map((entry) => [entry.artifact.uri, entry])))
      }),
      { numRuns: 2000 }
    )
  })

  it("needs no second list when every push arrives", () => {
    FastCheck.assert(
      FastCheck.property(
        histories.chain(({ pushes, list }) =>
          FastCheck.tuple(FastCheck.constant(list), FastCheck.shuffledSubarray(pushes, { minLength: pushes.length }))
        ),
        ([list, pushes]) => {
          const index = pushes.reduce(ArtifactIndex.push, ArtifactIndex.empty)
          assert.deepStrictEqual(new Map(index.entries), new Map(list.map((entry) => [entry.artifact.uri, entry])))
        }
      ),
      { numRuns: 2000 }
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
})
