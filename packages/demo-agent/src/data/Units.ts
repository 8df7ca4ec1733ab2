/** A currency or another unit that stands beside a number, by its one name. */
export interface Unit {
  readonly name: string
  readonly noun: "currency" | "unit"
}

/** Finds a unit however it is written: "eur", "euro" and "€" are EUR; `undefined` for other texts. */
export const unitOf = (text: string): Unit | undefined => UNITS.get(text.trim().toLowerCase())

/** Tells whether all of these texts name currencies, or a column with this name holds units. */
export const namesUnits = (column: string, labels: ReadonlyArray<string>): Unit["noun"] | undefined => {
  const [first, ...others] = labels.map((label) => unitOf(label)?.noun)
  if (first === undefined || others.some((noun) => noun !== first)) return undefined
  // "S" and "M" are sizes, unless the column says that it holds units.
  return first === "currency" || UNIT_COLUMN.test(column) ? first : undefined
}

/** Tells whether a column of numbers evidently holds no amounts of money: a count, a share, an age. */
export const isQuantity = (column: string): boolean => QUANTITY.test(column)

const UNIT_COLUMN = /(?:^|[\s_])(?:units?|uom|einheit)$|单位$/i
const QUANTITY =
  /(?:^|[\s_])(?:quantity|quantities|qty|count|number|units|pieces|pcs|items|stock|weight|kg|year|month|days?|hours?|age|percent|pct|share|ratio|rate|score|rating|rank|discount|menge|anzahl)$|%\s*$|(?:数量|件数|个数|次数|人数|天数|库存|重量|年份?|月份?|年龄|比例|占比|折扣|评分)$/i

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
