import { parsePhoneNumberFromString } from "libphonenumber-js/max"

/**
 * Reads a mobile number as a person writes it (contract 4.4) and gives it in E.164, or undefined when it is none.
 * Numbers of mainland China need no country code; all others need theirs with a plus. Spaces, hyphens and parentheses
 * may stand anywhere.
 */
export const normalise = (written: string): string | undefined => {
  if (written.length > 4 * longest) return undefined
  const text = written.normalize("NFKC").trim()
  if (text.length > longest || !allowed.test(text)) return undefined
  const dialled = text.replace(separators, "")
  return dialled.startsWith("+") ? international(dialled) : mainland(/^(?:86|0086)?(1\d{10})$/.exec(dialled)?.[1])
}

const longest = 32

// The hyphens of a keyboard and of typography; NFKC has already turned full-width forms and hard spaces into plain ones.
const allowed = /^\+?[\d \-\u2010-\u2015\u2212()]*$/
const separators = /[^\d+]/g

/** Mainland mobile numbers, also of ranges that are newer than any metadata: one that does not exist matches nobody. */
const mainland = (number: string | undefined): string | undefined =>
  number !== undefined && /^1[3-9]\d{9}$/.test(number) ? `+86${number}` : undefined

const international = (dialled: string): string | undefined => {
  // `+86 (0)138…` is written with the zero that is dialled inside the country.
  if (/^\+86\d{11,12}$/.test(dialled)) return mainland(dialled.slice("+86".length).replace(/^0/, ""))
  const parsed = parsePhoneNumberFromString(dialled, { extract: false })
  const type = parsed?.getType()
  return parsed?.isValid() === true && (type === "MOBILE" || type === "FIXED_LINE_OR_MOBILE")
    ? parsed.number
    : undefined
}
