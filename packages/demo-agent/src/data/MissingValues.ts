/** Tells whether a cell holds no value in any kind of column. */
export const isMissing = (cell: string): boolean => {
  if (cell.length > 5) return cell.trim() === ""
  return MISSING.has(cell.trim().toLowerCase())
}

/**
 * Tells whether a cell holds no value in a column of numbers, dates or booleans. "NA" and "-" can be real values of a
 * text column (a region, a grade), so there they count as values.
 */
export const isMissingInTyped = (cell: string): boolean =>
  isMissing(cell) || (cell.length <= 6 && MISSING_IN_TYPED.has(cell.trim().toLowerCase()))

const MISSING = new Set(["", "n/a", "#n/a", "null", "nan", "nil"])
const MISSING_IN_TYPED = new Set(["na", "none", "-", "--", "\u2013", "\u2014", "?", "."])
