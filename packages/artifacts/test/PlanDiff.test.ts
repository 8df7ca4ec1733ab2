import * as PlanDiff from "@heddle/artifacts/PlanDiff"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"

const diff = (previousText: string, text: string, context?: number) => {
  const made = PlanDiff.of({ previousText, text }, context === undefined ? {} : { context })
  assert.isDefined(made)
  return made ?? { added: -1, removed: -1, hunks: [] }
}

const lines = (from: number, to: number, word = "line") =>
  Array.from({ length: to - from }, (_, at) => `${word} ${from + at}\n`).join("")

/** The old or the new text, read back from a diff that shows everything. */
const side = ({ hunks }: PlanDiff.PlanDiff, without: "added" | "removed") =>
  hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind !== without).map(({ text }) => text))

describe("PlanDiff", () => {
  it("names the changed lines with what stands around them", () => {
    const made = diff("# Plan\n\n1. Read\n2. Write\n", "# Plan\n\n1. Read\n2. Test\n3. Write\n", 1)
    assert.deepStrictEqual(made, {
      added: 2,
      removed: 1,
      hunks: [
        {
          oldStart: 3,
          oldLines: 2,
          newStart: 3,
          newLines: 3,
          lines: [
            { kind: "same", text: "1. Read" },
            { kind: "removed", text: "2. Write" },
            { kind: "added", text: "2. Test" },
            { kind: "added", text: "3. Write" }
          ]
        }
      ]
    })
  })

  it("keeps changes that are far apart in hunks of their own", () => {
    const made = diff(lines(0, 60), lines(0, 60).replace("line 5\n", "line five\n").replace("line 50\n", ""))
    assert.deepStrictEqual(
      made.hunks.map(({ newStart, oldStart }) => [oldStart, newStart]),
      [
        [3, 3],
        [48, 48]
      ]
    )
    assert.deepStrictEqual([made.added, made.removed], [1, 2])
  })

  it("is empty for equal texts, whatever their line ends, and absent where no earlier text is known", () => {
    assert.deepStrictEqual(diff("a\r\nb\r\n", "a\nb"), { added: 0, removed: 0, hunks: [] })
    assert.isUndefined(PlanDiff.of({ text: "a" }))
    assert.deepInclude(diff("", "a\nb\n"), { added: 2, removed: 0 })
    assert.deepInclude(diff("a\nb\n", ""), { added: 0, removed: 2 })
  })

  it("holds both texts", () => {
    const text = FastCheck.array(FastCheck.constantFrom("a", "b", "+c", "-d", "\\ e", ""), { maxLength: 30 })
    FastCheck.assert(
      FastCheck.property(text, text, (before, after) => {
        const made = diff(before.map((line) => `${line}\n`).join(""), after.map((line) => `${line}\n`).join(""), 1000)
        const [old, fresh] = [side(made, "added"), side(made, "removed")]
        if (made.hunks.length === 0) assert.deepStrictEqual(before, after)
        else assert.deepStrictEqual([old, fresh], [before, after])
      })
    )
  })

  it("does not spend seconds on texts that have nothing in common", () => {
    const started = performance.now()
    const made = diff(lines(0, 20_000), lines(0, 20_000, "other"))
    assert.isBelow(performance.now() - started, 2000)
    assert.deepStrictEqual([made.added, made.removed, made.hunks.length], [20_000, 20_000, 1])
  })

  it("writes itself in the unified format", () => {
    assert.strictEqual(PlanDiff.toUnified(diff("a\nb\nc\n", "a\nB\nc\n")), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c")
  })
})
