import { structuredPatch } from "diff"
import type { Plan } from "./Artifact.ts"

/** The changes of a plan, line by line. */
export interface PlanDiff {
  /** Lines that are only in the new text. */
  readonly added: number
  /** Lines that are only in the old text. */
  readonly removed: number
  /** The changed places, from top to bottom, each with some unchanged lines around it. */
  readonly hunks: ReadonlyArray<Hunk>
}

/** One changed place; lines count from 1, and a start of 0 means before the first. */
export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: ReadonlyArray<Line>
}

/** One line of a changed place, without its line end. */
export interface Line {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

/**
 * Compares a plan with its previous text; undefined when that is unknown.
 *
 * `context` unchanged lines stand around each change, 3 without it. Line ends of either kind count as equal. Texts
 * that differ in more than a thousand lines are shown as wholly replaced.
 */
export const of = (
  { previousText, text }: Pick<Plan, "previousText" | "text">,
  options: { readonly context?: number } = {}
): PlanDiff | undefined => {
  if (previousText === undefined) return undefined
  const [before, after] = [toLines(previousText), toLines(text)]
  const patch = structuredPatch("", "", toText(before), toText(after), undefined, undefined, {
    context: options.context ?? 3,
    maxEditLength
  })
  const hunks =
    patch === undefined
      ? [replaceWhole(before, after)]
      : patch.hunks.map(({ lines, newLines, newStart, oldLines, oldStart }): Hunk => ({
          oldStart,
          oldLines,
          newStart,
          newLines,
          lines: lines.map((line) => ({ kind: kinds[line.charAt(0)] ?? "same", text: line.slice(1) }))
        }))
  return { added: count(hunks, "added"), removed: count(hunks, "removed"), hunks }
}

/** Writes a diff in the unified format, as patch tools and `diff` code blocks take it. */
export const toUnified = ({ hunks }: PlanDiff): string =>
  hunks
    .flatMap(({ lines, newLines, newStart, oldLines, oldStart }) => [
      `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
      ...lines.map(({ kind, text }) => signs[kind] + text)
    ])
    .join("\n")

// The time that a comparison takes grows with the square of this.
const maxEditLength = 1000

const kinds: Readonly<Record<string, Line["kind"]>> = { "+": "added", "-": "removed" }
const signs = { same: " ", added: "+", removed: "-" } as const

const toLines = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

const toText = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

const replaceWhole = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): Hunk => ({
  oldStart: Math.min(1, before.length),
  oldLines: before.length,
  newStart: Math.min(1, after.length),
  newLines: after.length,
  lines: [
    ...before.map((text) => ({ kind: "removed" as const, text })),
    ...after.map((text) => ({ kind: "added" as const, text }))
  ]
})

const count = (hunks: ReadonlyArray<Hunk>, kind: Line["kind"]): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0)
