import { unitOf, type Unit } from "./Units.ts"

/** The decimal separator of a column: `1,234.5` or `1.234,5`. */
export type DecimalMark = "." | ","

/** A number with the unit that stands beside it, and how that is written; "" without one. */
export interface Amount {
  readonly value: number
  readonly unit: Unit | undefined
  readonly written: string
}

/** Parses a number with thousands separators and a currency or unit before or behind it; `undefined` for other cells. */
export const parseAmount = (cell: string, decimalMark: DecimalMark): Amount | undefined => {
  const text = cell.trim()
  if (text.length === 0 || text.length > 40) return undefined
  if (PLAIN_NUMBER.test(text) && (decimalMark === "." || !text.includes(".")))
    return { value: Number(text), unit: undefined, written: "" }
  const [, sign = "", before = "", otherSign = "", digits = "", behind = ""] = AMOUNT.exec(text) ?? []
  const written = before + behind
  if (digits === "" || (before !== "" && behind !== "") || (sign !== "" && otherSign !== "")) return undefined
  const unit = written === "" ? undefined : unitOf(written)
  if (written !== "" && unit === undefined) return undefined
  const value = parseGrouped(digits.trim(), decimalMark)
  return value === undefined ? undefined : { value: /[-\u2212]/.test(sign + otherSign) ? -value : value, unit, written }
}

/** Tells whether a whole number begins with a zero or, as a phone number does, with a plus. */
export const hasLeadingZero = (cell: string): boolean => /^(?:0\d+|\+\d{8,})$/.test(cell)

const PLAIN_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?$/
const AMOUNT =
  /^([-+\u2212]?)\s*([^\d\s.,+\u2212-]{0,6}?)\s*([-+\u2212]?)(\d[\d., '\u00a0\u2009\u202f\u2019]*|[.,]\d+)\s*([^\d\s.,+\u2212-][^\d\s+-]{0,11})?$/u
const GROUPED_POINT = /^(?:[1-9]\d{0,2}(?:[, '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:\.\d*)?$|^\.\d+$/
const GROUPED_COMMA = /^(?:[1-9]\d{0,2}(?:[. '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:,\d*)?$|^,\d+$/

const parseGrouped = (digits: string, decimalMark: DecimalMark): number | undefined => {
  if (!(decimalMark === "." ? GROUPED_POINT : GROUPED_COMMA).test(digits)) return undefined
  return Number(decimalMark === "." ? digits.replace(/[^\d.]/g, "") : digits.replace(/[^\d,]/g, "").replace(",", "."))
}
