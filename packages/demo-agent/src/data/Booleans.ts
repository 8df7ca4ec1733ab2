/** Parses yes/no words; `undefined` for other cells. Plain 0 and 1 stay numbers. */
export const parseBoolean = (cell: string): boolean | undefined => BOOLEANS.get(cell.trim().toLowerCase())

const BOOLEANS = new Map([
  ["true", true],
  ["false", false],
  ["yes", true],
  ["no", false],
  ["ja", true],
  ["nein", false]
])
