import { parsePhoneNumberFromString } from "libphonenumber-js/max"

/**
 * Reads a mobile number as a person writes it (contract 4.4) and returns it in E.164; undefined if it is not a mobile number.
 * Numbers of mainland China need no country code; all others need theirs with a plus. Spaces, hyphens and parentheses
 * may stand anywhere.
 */
export const normalise = (input: string): string | undefined => {
  if (input.length > 4 * maxLength) return undefined
  const text = input.normalize("NFKC").trim()
  if (text.length > maxLength || !allowedCharacters.test(text)) return undefined
  const digits = text.replace(separators, "")
  return digits.startsWith("+") ? international(digits) : mainland(/^(?:86|0086)?(1\d{10})$/.exec(digits)?.[1])
}

const maxLength = 32

// The hyphens of a keyboard and of typography; NFKC has already turned full-width forms and hard spaces into plain ones.
const allowedCharacters = /^\+?[\d \-\u2010-\u2015\u2212()]*$/
const separators = /[^\d+]/g

/** Accepts any mainland mobile number, even of a range that is not in the metadata yet. */
const mainland = (number: string | undefined): string | undefined =>
  number !== undefined && /^1[3-9]\d{9}$/.test(number) ? `+86${number}` : undefined

const international = (digits: string): string | undefined => {
  // `+86 (0)138…` has the zero that is dialled inside the country.
  if (/^\+86\d{11,12}$/.test(digits)) return mainland(digits.slice("+86".length).replace(/^0/, ""))
  const parsed = parsePhoneNumberFromString(digits, { extract: false })
  const type = parsed?.getType()
  return parsed?.isValid() === true && (type === "MOBILE" || type === "FIXED_LINE_OR_MOBILE")
    ? parsed.number
    : undefined
}
