/** Tells whether a cell has no value in any kind of column. */
export const isMissing = (cell: string): boolean => MISSING.has(markerOf(cell))

/**
 * Tells whether a cell has no value in a column of numbers, dates or booleans. "NA" and "-" can be real values of a
 * text column (a region, a grade), so there they count as values.
 */
export const isMissingUnlessText = (cell: string): boolean => {
  const marker = markerOf(cell)
  return MISSING.has(marker) || MISSING_UNLESS_TEXT.has(marker)
}

const MISSING = new Set(["", "n/a", "#n/a", "null", "nan", "nil"])
const MISSING_UNLESS_TEXT = new Set(["na", "none", "-", "--", "\u2013", "\u2014", "?", "."])

/** The cell without surrounding spaces. A text that is longer than every marker is not lower-cased. */
const markerOf = (cell: string): string => {
  const text = cell.trim()
  return text.length > MAX_MARKER_LENGTH ? text : text.toLowerCase()
}

const MAX_MARKER_LENGTH = 4
