/**
 * Text from outside as one line that is safe beside the bot's own words: without control characters, lone surrogates,
 * direction marks, characters without width and piles of accents. Empty when nothing of it can be seen.
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

/** Text that a person decides about, with the characters that would hide or reorder a part of it written out. */
export const revealHidden = (text: string): string =>
  text
    .replace(turning, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`)
    .replace(control, "\ufffd")

/** Replaces lone surrogates and NUL, which Discord refuses. */
export const wellFormed = (text: string): string => text.replace(loneSurrogate, "\ufffd").replaceAll("\0", "\ufffd")

/** Half of a surrogate pair. */
export const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** No line shows more characters. */
const longest = 20_000

/** Control characters, characters without width, and marks, embeddings, overrides and isolates of direction. */
const unseen = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]/gu

/** Embeddings, overrides and isolates of bidirectional text. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** Control characters that are no white space. */
// oxlint-disable-next-line no-control-regex
const control = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g

/** A character with a shape: no white space, combining mark or invisible letter. */
const visible = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u
