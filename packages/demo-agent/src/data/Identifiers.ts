import { wordsOf } from "../format/Words.ts"
import { isMoney, isQuantity } from "./ColumnNames.ts"

/** Tells whether whole numbers name rows, as an id, a phone number or a year does, by their column or without gaps. */
export const identifies = (name: string, values: Float64Array): boolean => {
  const words = wordsOf(name)
  if (words.some((word) => ANYWHERE.test(word)) || AT_THE_END.test(words.at(-1) ?? "")) return true
  if (isQuantity(name) || isMoney(name)) return false
  const present = values.filter((value) => !Number.isNaN(value))
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of present) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  // A few small numbers without gaps may also be counts.
  const isLong = present.length >= 20 || (low >= 100 && present.length >= 3)
  return isLong && high - low + 1 === present.length && new Set(present).size === present.length
}

const ANYWHERE = /^(?:id|ids|nr|no|key|code|zip|postcode|plz|index|uuid|row|phone|telephone|year)$/
const AT_THE_END = /^(?:number|nummer|order|tel|mobile|fax)$|(?:编号|号码?|代码|编码|电话|手机|邮编|年份?)$/
