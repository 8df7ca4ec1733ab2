/** How the decimals of a column are written: `1,234.5` or `1.234,5`. */
export type DecimalMark = "." | ","

/** Parses a number with thousands separators, currency or percent signs; `undefined` when it is none. */
export const parseNumber = (cell: string, mark: DecimalMark): number | undefined => {
  let body = cell.trim()
  if (body.length === 0 || body.length > 40) return undefined
  if (PLAIN.test(body) && (mark === "." || !body.includes("."))) return finite(body)
  const parenthesised = body.startsWith("(") && body.endsWith(")")
  if (parenthesised) body = body.slice(1, -1).trim()
  const signed = SIGN.exec(body)
  if (signed !== null) body = body.slice(signed[0].length)
  body = body.replace(UNIT_BEFORE, "").replace(UNIT_AFTER, "")
  const late = signed === null ? SIGN.exec(body) : null
  if (late !== null) body = body.slice(late[0].length)
  const value = groupedNumber(body, mark)
  const negative = parenthesised !== /^[-\u2212]/.test((signed ?? late)?.[0] ?? "")
  return value === undefined ? undefined : negative ? -value : value
}

/** Names the currency or percent sign written with a number, `undefined` when it is bare. */
export const unitOf = (cell: string): string | undefined => {
  const body = cell.trim().replace(/^[-+(\u2212]\s*/, "")
  const found = UNIT_BEFORE.exec(body)?.[0] ?? UNIT_AFTER.exec(body.replace(/\)$/, ""))?.[0]
  return found?.trim()
}

/** Tells whether a whole number is written with leading zeros, as codes and postcodes are. */
export const hasLeadingZero = (cell: string): boolean => /^0\d+$/.test(cell.trim())

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/
const SIGN = /^[-+\u2212]\s*/
const UNIT_BEFORE = /^(?:[$€£¥₹₽₩]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR)(?=[\s\d-]))\s*/i
const UNIT_AFTER = /\s*(?:[$€£¥₹₽₩%]|(?<=[\s\d])(?:USD|EUR|GBP|JPY|CHF|CNY|INR))$/i
const GROUPED_POINT = /^(?:\d{1,3}(?:[, '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:\.\d*)?$|^\.\d+$/
const GROUPED_COMMA = /^(?:\d{1,3}(?:[. '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:,\d*)?$|^,\d+$/

const finite = (text: string): number | undefined => {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

const groupedNumber = (digits: string, mark: DecimalMark): number | undefined => {
  if (!(mark === "." ? GROUPED_POINT : GROUPED_COMMA).test(digits)) return undefined
  return finite(mark === "." ? digits.replace(/[^\d.]/g, "") : digits.replace(/[^\d,]/g, "").replace(",", "."))
}
