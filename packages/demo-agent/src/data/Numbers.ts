import { codePattern, currencyName, signPattern } from "./CurrencyNames.ts"

/** The decimal separator of a column: `1,234.5` or `1.234,5`. */
export type DecimalMark = "." | ","

/**
 * Parses a number with thousands separators, currency or percent signs, in thousands or millions ("$1.2M", "1.2万");
 * `undefined` for other cells.
 */
export const parseNumber = (cell: string, decimalMark: DecimalMark): number | undefined => {
  let body = cell.trim()
  if (body.length === 0 || body.length > 40) return undefined
  if (PLAIN_NUMBER.test(body) && (decimalMark === "." || !body.includes("."))) return parseFinite(body)
  const isParenthesised = body.startsWith("(") && body.endsWith(")")
  if (isParenthesised) body = body.slice(1, -1).trim()
  const sign = SIGN.exec(body)
  if (sign !== null) body = body.slice(sign[0].length)
  const withUnit = body
  body = body.replace(UNIT_BEFORE, "").replace(UNIT_AFTER, "")
  // "5M" may be metres or a size; "$5M" is money.
  const scale = (withUnit === body || withUnit.endsWith("%") ? CHINESE_SCALE : SCALE).exec(body)
  if (scale !== null) body = body.slice(0, scale.index)
  const otherSign = sign === null ? (SIGN.exec(body) ?? SIGN_BEHIND.exec(body)) : null
  if (otherSign !== null) body = body.replace(otherSign[0], "")
  const value = parseGroupedNumber(body, decimalMark)
  const isNegative = isParenthesised !== /[-\u2212]/.test((sign ?? otherSign)?.[0] ?? "")
  if (value === undefined) return undefined
  // Moves the point without a rounding error.
  const scaled = scale === null ? value : Number(`${value}e${EXPONENTS.get(scale[1]?.toLowerCase() ?? "") ?? 0}`)
  return isNegative ? -scaled : scaled
}

/** The currency or percent sign of a number, the same for "EUR" and "€"; `undefined` when it has none. */
export const unitOf = (cell: string): string | undefined => {
  const body = cell.trim().replace(/^[-+(\u2212]\s*/, "")
  const unit = UNIT_BEFORE.exec(body)?.[0] ?? UNIT_AFTER.exec(body.replace(/\)$/, ""))?.[0]
  if (unit === undefined) return undefined
  const name = currencyName(unit.replace(/\.\s*$/, "")) ?? unit.trim()
  return SIGNS.get(name) ?? name
}

/** Tells whether a whole number begins with a zero or, as a phone number does, with a plus. */
export const hasLeadingZero = (cell: string): boolean => /^(?:0\d+|\+\d{8,})$/.test(cell.trim())

/** The signs of a single currency that stand before a number. */
const SIGNS = new Map([
  ["EUR", "€"],
  ["GBP", "£"],
  ["INR", "₹"],
  ["RUB", "₽"],
  ["KRW", "₩"]
])
const CHINESE_SCALE = /(?<=\d)\s*(百万|千万|万亿|[千万亿])$/
const SCALE = /(?<=\d)\s*(百万|千万|万亿|[千万亿]|k|thousand|m|mn|mio|million|b|bn|billion)$/i
const EXPONENTS = new Map([
  ["千", 3],
  ["万", 4],
  ["百万", 6],
  ["千万", 7],
  ["亿", 8],
  ["万亿", 12],
  ["k", 3],
  ["thousand", 3],
  ["m", 6],
  ["mn", 6],
  ["mio", 6],
  ["million", 6],
  ["b", 9],
  ["bn", 9],
  ["billion", 9]
])
const PLAIN_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/
const SIGN_BEHIND = /(?<=\d)\s*[-\u2212]$/
const SIGN = /^[-+\u2212]\s*/
const UNIT_BEFORE = new RegExp(String.raw`^(?:${signPattern}|(?:${codePattern})\.?(?=[\s\d-]))\s*`, "i")
const UNIT_AFTER = new RegExp(String.raw`\s*(?:%|${signPattern}|(?<=[\s\dkmbn千万亿])(?:${codePattern})\.?)$`, "i")
const GROUPED_POINT = /^(?:\d{1,3}(?:[, '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:\.\d*)?$|^\.\d+$/
const GROUPED_COMMA = /^(?:\d{1,3}(?:[. '\u00a0\u2009\u202f\u2019]\d{3})+|\d+)(?:,\d*)?$|^,\d+$/

const parseFinite = (text: string): number | undefined => {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

const parseGroupedNumber = (digits: string, decimalMark: DecimalMark): number | undefined => {
  if (!(decimalMark === "." ? GROUPED_POINT : GROUPED_COMMA).test(digits)) return undefined
  return parseFinite(
    decimalMark === "." ? digits.replace(/[^\d.]/g, "") : digits.replace(/[^\d,]/g, "").replace(",", ".")
  )
}
