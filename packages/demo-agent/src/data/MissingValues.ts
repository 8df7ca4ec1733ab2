/** Tells whether a cell has no value in any kind of column. */
export const isMissing = (cell: string): boolean => cell.length < 5 && /^\s*(?:#?n\/a|null|nan|nil)?\s*$/i.test(cell)

/**
 * Tells whether a cell has no value in a column of numbers or dates. "NA" and "-" can be real values of a column of
 * words (a region, a grade), so there they count as values.
 */
export const isMissingUnlessText = (cell: string): boolean =>
  isMissing(cell) || /^\s*(?:na|none|--?|[–—?.])\s*$/i.test(cell)
