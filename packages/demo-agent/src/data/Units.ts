import { simplified } from "../format/Simplified.ts"
import { wordsOf } from "../format/Words.ts"

/** A currency or another unit that stands beside a number, by its one name. */
export interface Unit {
  readonly name: string
  readonly noun: "currency" | "unit"
}

/** Finds a unit however it is written: "eur", "euro" and "€" are EUR; `undefined` for other texts. */
export const unitOf = (text: string): Unit | undefined => UNITS.get(text.trim().toLowerCase())

/** What makes two spellings of a unit the same: its one name, or for an unknown unit its text. */
export const unitKey = (label: string): string => unitOf(label)?.name ?? label.trim().toLowerCase()

/** What a column of words names beside amounts: by its name, or because most of its words are known currencies. */
export const namesUnits = (column: string, labels: ReadonlyArray<string>): Unit["noun"] | undefined => {
  if (labels.length === 0 || labels.some((label) => label.length > 30)) return undefined
  const words = wordsOf(simplified(column))
  if (words.some((word) => CURRENCY_COLUMN.test(word))) return "currency"
  const known = labels.flatMap((label) => unitOf(label) ?? [])
  if (known.length * 2 > labels.length && known.every(({ noun }) => noun === "currency")) return "currency"
  return words.some((word) => UNIT_COLUMN.test(word)) ? "unit" : undefined
}

/** Tells whether the name of a column of numbers plainly says a count; in doubt, it may hold money. */
export const isCount = (column: string): boolean => COUNT.test(plainName(column))

/** Tells whether the name of a column of numbers plainly says an identifier or a year; in doubt, it may hold money. */
export const isIdentifierName = (column: string): boolean => IDENTIFIER.test(plainName(column))

/** The words of a name; "" where they relate numbers or name money, as in "price/qty" or "sales per year". */
const plainName = (column: string): string => {
  const words = wordsOf(simplified(column))
  return /[/*×÷+&%]/.test(column) || words.some((word) => NOT_PLAIN.test(word)) ? "" : words.join(" ")
}

const CURRENCY_COLUMN = /^(?:currency|currencies|curr|cur|ccy|währung|waehrung)$|币种|币别|货币|貨幣|幣種|幣別/
const UNIT_COLUMN = /^(?:units?|uom|einheit)$|单位$|單位$/
const NOT_PLAIN = /^(?:per|by|each|x|times|prices?|costs?|amounts?|values?|revenue|fees?)$|[价额]|金額/
const COUNT =
  /^(?:.+ )?(?:quantity|quantities|qty|counts?|pieces|pcs|anzahl|menge)$|^(?:quantity|qty|count|number|units|pieces) (?:of [^ ]+|sold|[^ ]+ed)$|(?:数量|數量|件数|个数|次数|人数)$/
const IDENTIFIER =
  /^(?:.+ )?(?:ids?|number|nr|no|uuid|zip|postcode|phone)$|^(?:fiscal )?(?:year|quarter|month|week)$|^(?:年份?|月份?)$|(?:编号|编码|号码|单号|序号|邮编|电话|手机号?)$/

/** "$", "¥" and "kr" are signs of several currencies and stay what they are. */
const CURRENCIES =
  "EUR € euro euros 欧元|USD us$ dollar dollars 美元 美金|GBP £ 英镑|JPY yen 日元|CNY rmb yuan 人民币 元|CHF sfr|INR ₹|KRW ₩|RUB ₽|TRY ₺|PLN zł|CZK kč|" +
  "HUF|SEK|NOK|DKK|ISK|RON|BGN|UAH ₴|CAD c$ ca$|AUD a$ au$|NZD nz$|HKD hk$ 港币 港元|SGD s$|TWD nt$|THB ฿|IDR|MYR|PHP ₱|VND ₫|BRL r$|MXN|ARS|CLP|" +
  "COP|PEN|ZAR|ILS ₪|AED|SAR|QAR|KWD|EGP|MAD|NGN ₦|KES|PKR|BDT|LKR|KZT|$|¥ ￥|kr"
const MEASURES =
  "%|kg 公斤 千克|g 克|mg|t 吨|lb lbs|oz|km 公里|m 米|cm 厘米|mm|mi|ft|l 升|ml 毫升|°C|°F|h|min|s|pcs pc 件 个|m²|m³|kWh|W|MB|GB"

const UNITS: ReadonlyMap<string, Unit> = new Map(
  (["currency", "unit"] as const).flatMap((noun) =>
    (noun === "currency" ? CURRENCIES : MEASURES).split("|").flatMap((line) => {
      const [name = "", ...others] = line.split(" ")
      return [name, ...others].map((each) => [each.toLowerCase(), { name, noun }] as const)
    })
  )
)
