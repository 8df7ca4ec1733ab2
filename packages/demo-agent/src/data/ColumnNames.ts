import { wordsOf } from "../format/Words.ts"

/** Tells whether a column evidently holds counts, measured quantities, years or shares, and no price of one. */
export const isQuantity = (name: string): boolean =>
  /%\s*$/.test(name) || ((MEASURED.test(headOf(name)) || COUNTED.test(headOf(name))) && !isMoney(name))

/** Tells whether a column evidently holds amounts of money. */
export const isMoney = (name: string): boolean => MONEY.test(name)

/** Tells whether the numbers of a column may have units such as kg. */
export const hasUnits = (name: string): boolean => MEASURED.test(headOf(name)) || VALUES.test(headOf(name))

/** The last word of a name, which says what it is, without what only makes it more exact: `Currency code (2)`. */
export const headOf = (name: string): string =>
  wordsOf(name)
    .filter((word) => !/^\p{N}+$/u.test(word) && !/^(?:code|id|name|symbol|iso|of|measure|measurement)$/.test(word))
    .at(-1) ?? name.trim()

const MEASURED =
  /^(?:quantity|quantities|qty|menge|anzahl|weight|mass|gewicht|kg|lbs?|length|width|height|depth|distance|km|volume|area|size|stock|load|dose)$|(?:数量|重量|长度|宽度|高度|面积|体积|距离|库存)$/
const COUNTED =
  /^(?:count|counts|number|units|pieces|pcs|items|year|years|month|day|days|hour|hours|minutes|seconds|duration|age|percent|percentage|pct|share|ratio|score|rating|rank|latitude|longitude|lat|lon|lng|temperature)$|(?:件数|个数|次数|人数|天数|总数|年份?|月份?|比例|占比|百分比|评分|温度)$/
const VALUES = /^(?:amount|value|reading|result)$|[量值]$/
const MONEY =
  /amount|price|value|cost|revenue|sales|turnover|fee|paid|payment|salary|wage|budget|balance|profit|income|betrag|preis|umsatz|kosten|金额|价|额|收入|费|成本|薪/i
