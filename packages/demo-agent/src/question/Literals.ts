/** A whole number in digits or in Chinese. */
export const numberOf = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text)
  const digit = (character: string | undefined): number =>
    character === undefined ? 0 : Math.max(0, "〇一二三四五六七八九".indexOf(character.replace("两", "二")))
  const [tens, ones] = text.split("十")
  return ones === undefined ? digit(tens) : (tens === "" ? 1 : digit(tens)) * 10 + digit(ones === "" ? undefined : ones)
}

/** Numbers, the second kind with a currency or unit. */
export const NUMBER = /[-+\u2212]?\d+(?:[.,']\d+)*/uy
export const NUMBER_WITH_UNIT =
  /[-+\u2212]?(?:[a-z]{0,3}[$€£¥₹])?\s?\d+(?:[.,']\d+)*\s?(?:[km](?![a-z])|bn(?![a-z])|万|亿)?\s?(?:%|[€$£¥元]|(?:eur|usd|gbp|cny|rmb|chf|jpy|kr)(?![a-z]))?/uy
const MONTHS = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
/** Days, months, quarters and years. */
export const PERIODS = [
  /\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[t ]\d{1,2}:\d{2}(?::\d{2})?z?)?/uy,
  /\d{4}[-/]\d{1,2}/uy,
  /\d{4}[- ]?q[1-4]|q[1-4][- ]\d{4}/uy,
  /\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/uy,
  new RegExp(`${MONTHS}\\.? (?:\\d{1,2},? )?\\d{4}`, "uy"),
  new RegExp(`\\d{1,2}\\.? ${MONTHS}\\.?,? \\d{4}`, "uy"),
  /\d{4}年(?:\d{1,2}月(?:\d{1,2}[日号]?)?)?/uy,
  /(?:1[5-9]|2[01])\d{2}(?!\d)/uy
]

/** A period as columns of dates have it: "2024年3月" is 2024-3. */
export const periodOf = (text: string): string =>
  text.replace(/^(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})[日号]?)?)?$/, (_, ...parts: ReadonlyArray<string>) =>
    parts
      .slice(0, 3)
      .filter((part) => part !== undefined)
      .join("-")
  )
