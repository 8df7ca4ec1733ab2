import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import * as ArtifactNotification from "@heddle/artifacts/ArtifactNotification"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

const overview = (uri: string, text: string, updatedAt?: number, deleted = false): ArtifactEntry => ({
  artifact: { type: "overview", uri, text, ...(updatedAt === undefined ? {} : { updatedAt }) },
  deleted
})

const texts = (index: ArtifactIndex.ArtifactIndex) =>
  ArtifactIndex.toArray(index).map(({ artifact }) => (artifact.type === "overview" ? artifact.text : artifact.type))

/** The artifacts as the server has them; that a version went back is known to the index alone. */
const byUri = (index: ArtifactIndex.ArtifactIndex) =>
  new Map([...ArtifactIndex.values(index)].map(({ wentBackFrom: _before, ...entry }) => [entry.artifact.uri, entry]))

const types = ["plan", "tasks", "media", "overview"] as const

/** Of each type some uris, and a file of the agent's machine. */
const uris = [
  ...types.flatMap((type) => [0, 1, 2].map((at) => ({ type, uri: `agent:///${type}/${at}` }))),
  { type: "media" as const, uri: "file:///home/a.png" }
]

/** An artifact after one change; `content` says which content it has, so that two changes may leave it the same. */
const changed = (
  { content, deleted, target: { type, uri }, version }: Change,
  at: number
): ArtifactEntry & { readonly event: "updated" | "deleted" } => {
  const common = { uri, title: `change ${at}`, updatedAt: at + 1 }
  const artifact = {
    plan: { type: "plan" as const, ...common, text: `text ${content}`, version },
    tasks: { type: "tasks" as const, ...common, tasks: [{ content: `task ${content}`, status: "pending" as const }] },
    media: { type: "media" as const, ...common, size: content % 2 },
    overview: { type: "overview" as const, ...common, text: `text ${content}` }
  }[type]
  return {
    sessionId: "task-1",
    event: deleted ? "deleted" : "updated",
    artifact,
    md5: `md5 of ${type} ${content}`,
    ...(type === "media" ? { url: `/signed/${at}` } : {}),
    deleted
  }
}

interface Change {
  readonly target: { readonly type: (typeof types)[number]; readonly uri: string }
  readonly deleted: boolean
  readonly dated: boolean
  readonly whole: boolean
  readonly content: number
  /** Also goes back, as it does when an agent begins its plan anew (contract decision 103). */
  readonly version: number
}

/** As a push tells it: without md5 and url, and of a deleted artifact no more than type and uri. */
const told = (entry: ArtifactEntry, { dated, deleted, whole }: Change): ArtifactEntry => {
  const { md5: _, url: __, ...pushed } = entry
  if (!deleted) return whole ? entry : pushed
  const { type, uri, updatedAt } = entry.artifact
  return { ...pushed, artifact: { type, uri, ...(dated ? { updatedAt } : {}) } as ArtifactEntry["artifact"] }
}

/** The changes of a session in order, and the state that they leave. */
const histories = FastCheck.subarray(uris, { minLength: 1, maxLength: 5 }).chain((some) =>
  FastCheck.array(
    FastCheck.record({
      target: FastCheck.constantFrom(...some),
      deleted: FastCheck.boolean(),
      dated: FastCheck.boolean(),
      whole: FastCheck.boolean(),
      content: FastCheck.nat(2),
      version: FastCheck.nat(4)
    }),
    { minLength: 1, maxLength: 16 }
  ).map((changes) => {
    const entries = changes.map(changed)
    return {
      pushes: entries.map((entry, at) => told(entry, changes[at] as Change)),
      datedPushes: entries,
      listAt: (time: number) => {
        const left = new Map(entries.slice(0, time).map((entry) => [entry.artifact.uri, entry]))
        return [...left.values()].filter(({ deleted }) => !deleted)
      },
      length: entries.length
    }
  })
)

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
  it("a repeated push of a deleted artifact does not restore it, and a newer one does", () => {
    const [one, two] = [overview("agent:///1", "one", 5), overview("agent:///2", "two", 5)]
    const deleted = [one, two, overview("agent:///1", "", 5, true)].reduce(ArtifactIndex.push, ArtifactIndex.empty)
    assert.deepStrictEqual(texts(ArtifactIndex.push(deleted, one)), ["two"])
    assert.deepStrictEqual(texts(ArtifactIndex.push(deleted, overview("agent:///1", "newer", 6))), ["newer", "two"])
  })

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

  it("never shows an md5 that is not of the content, whatever pushes left out", () => {
    FastCheck.assert(
      FastCheck.property(scenarios, ({ history, last, lists }) => {
        let index = ArtifactIndex.empty
        const isRight = () => {
          for (const { artifact, md5 } of ArtifactIndex.values(index)) {
            const truth = history.datedPushes.find((entry) => entry.artifact.title === artifact.title)
            if (md5 !== undefined) assert.strictEqual(md5, truth?.md5)
          }
        }
        for (const { before, during, time } of lists) {
          const asOf = index.revision
          for (const push of [...before, ...during]) {
            index = ArtifactIndex.push(index, push)
            isRight()
          }
          index = ArtifactIndex.load(index, history.listAt(time), { asOf, complete: true })
          isRight()
        }
        index = last.reduce(ArtifactIndex.push, index)
        isRight()
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

  it("does not let a list that was requested earlier undo a push or a deletion without times", () => {
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

  it("takes a list that was requested later, with what came back and without what is gone", () => {
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

  it("compares times beyond 2^53 exactly as strings, and as numbers as far as they differ (contract decision 21)", () => {
    const left = (...times: ReadonlyArray<string>) =>
      texts(
        times
          .map((time, at) => `{"type":"overview","uri":"agent:///o","text":"${at}","updatedAt":${time}}`)
          .map((artifact) => ArtifactNotification.fromParams({ event: "updated", artifact: JSON.parse(artifact) })!)
          .reduce(ArtifactIndex.push, ArtifactIndex.empty)
      )
    assert.deepStrictEqual(left('"9007199254741000"', '"9007199254740999"'), ["0"])
    assert.deepStrictEqual(left("9007199254742000", "9007199254741000"), ["0"])
    assert.deepStrictEqual(left("9007199254742001", "9007199254742000"), ["1"])
  })

  it("keeps url and md5 that a push leaves out, the md5 as long as the content is the same", () => {
    const media = (updatedAt: number | undefined, size: number, title = "a"): ArtifactEntry => ({
      artifact: { type: "media", uri: "agent:///a", size, title, ...(updatedAt === undefined ? {} : { updatedAt }) },
      deleted: false
    })
    const listed = { ...media(1, 5), md5: "one", url: "/signed" }
    const after = (push: ArtifactEntry, before: ArtifactEntry = listed) => {
      const index = ArtifactIndex.push(ArtifactIndex.push(ArtifactIndex.empty, before), push)
      const { md5, url } = ArtifactIndex.get(index, push.artifact.uri) ?? {}
      return [md5, url]
    }
    assert.deepStrictEqual(after(media(1, 5)), ["one", "/signed"])
    assert.deepStrictEqual(after(media(2, 5)), [undefined, "/signed"])
    assert.deepStrictEqual(after(media(1, 6)), [undefined, "/signed"])
    assert.deepStrictEqual(after(media(undefined, 5)), [undefined, "/signed"])
    assert.deepStrictEqual(after({ ...media(2, 5), md5: "two", url: "/new" }), ["two", "/new"])
    const text = { ...overview("agent:///o", "same", 1), md5: "text" }
    assert.deepStrictEqual(after(overview("agent:///o", "same", 2), text), ["text", undefined])
    assert.deepStrictEqual(after(overview("agent:///o", "other", 2), text), [undefined, undefined])
    const gone = ArtifactIndex.push(ArtifactIndex.push(ArtifactIndex.empty, listed), { ...media(2, 5), deleted: true })
    assert.notProperty(ArtifactIndex.get(ArtifactIndex.push(gone, media(3, 5)), "agent:///a"), "url")
    // A list that was requested before the push and answered after it.
    const pushed = ArtifactIndex.push(ArtifactIndex.empty, media(1, 5))
    const loaded = ArtifactIndex.load(pushed, [listed], { asOf: 0, complete: true })
    assert.deepStrictEqual(ArtifactIndex.get(loaded, "agent:///a"), listed)
  })

  it("takes a plan version that went back, and says from where until the plan goes on", () => {
    const plan = (version: number, updatedAt: number): ArtifactEntry => ({
      artifact: { type: "plan", uri: "agent:///p", text: `v${version}`, version, updatedAt },
      deleted: false
    })
    const shown = (index: ArtifactIndex.ArtifactIndex) => {
      const entry = ArtifactIndex.get(index, "agent:///p")
      return [entry?.artifact.type === "plan" ? entry.artifact.version : undefined, entry?.wentBackFrom]
    }
    const five = ArtifactIndex.push(ArtifactIndex.empty, plan(5, 1))
    assert.deepStrictEqual(shown(five), [5, undefined])
    const two = ArtifactIndex.push(five, plan(2, 2))
    assert.deepStrictEqual(shown(two), [2, 5])
    const again = ArtifactIndex.load(two, [plan(2, 2)], { asOf: two.revision, complete: true })
    assert.deepStrictEqual(shown(again), [2, 5])
    assert.deepStrictEqual(shown(ArtifactIndex.push(again, plan(1, 1))), [2, 5])
    assert.deepStrictEqual(shown(ArtifactIndex.push(again, plan(3, 3))), [3, undefined])
    const listed = ArtifactIndex.load(five, [plan(4, 2)], { asOf: five.revision, complete: true })
    assert.deepStrictEqual(shown(listed), [4, 5])
    const deleted = ArtifactIndex.push(five, { ...plan(5, 2), deleted: true })
    assert.deepStrictEqual(shown(ArtifactIndex.push(deleted, plan(1, 3))), [1, undefined])
  })

  it("leaves the indexes before a fold as they were", () => {
    const one = ArtifactIndex.push(ArtifactIndex.empty, overview("agent:///a", "1", 1))
    const two = ArtifactIndex.load(one, [overview("agent:///b", "2", 2)], { asOf: one.revision, complete: true })
    assert.deepStrictEqual([texts(ArtifactIndex.empty), texts(one), texts(two)], [[], ["1"], ["2"]])
    assert.isUndefined(ArtifactIndex.get(two, "agent:///a"))
  })
})
