/**
 * Foreign text as one safe line: without control characters, lone surrogates, direction marks, invisible characters and
 * piles of accents. Empty when no visible character is left.
 */
export const sanitize = (text: string): string => {
  const words = text
    .slice(0, longest)
    .replace(/\s+/g, " ")
    .replace(unseen, "")
    .replace(loneSurrogate, "\ufffd")
    .replace(/(\p{M}{8})\p{M}+/gu, "$1")
    .trim()
  return visible.test(words) ? words : ""
}

/** Text for a person's decision, with hidden and reordering characters written out. */
export const revealHidden = (text: string): string => revealDirections(text).replace(control, "\ufffd")

/** Writes out what reverses text, and leaves out direction marks. */
export const revealDirections = (text: string): string =>
  text
    .replace(turning, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`)
    .replace(directionMark, "")

/** Replaces lone surrogates and NUL, which Discord rejects. */
export const wellFormed = (text: string): string => text.replace(loneSurrogate, "\ufffd").replaceAll("\0", "\ufffd")

/** Lone surrogates. */
export const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** The longest useful line. */
const longest = 20_000

/** Control, zero-width and direction characters. */
const unseen = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]/gu

/** Embeddings, overrides and isolates of bidirectional text. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** The invisible letters that have a direction. */
const directionMark = /[\u061c\u200e\u200f]/g

/** Control characters other than white space. */
// oxlint-disable-next-line no-control-regex
const control = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g

/** Visible characters: no white space, combining marks or invisible letters. */
const visible = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u
