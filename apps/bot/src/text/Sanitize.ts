/**
 * Words from outside as one line can show them beside the bot's own: no control characters, no half signs, nothing that
 * turns the direction of what stands beside it or has no width, no piles of accents. Empty when nothing can be seen.
 */
export const clean = (text: string): string => {
  const words = text
    .slice(0, longest)
    .replace(/\s+/g, " ")
    .replace(unseen, "")
    .replace(loneSurrogate, "\ufffd")
    .replace(/(\p{M}{8})\p{M}+/gu, "$1")
    .trim()
  return visible.test(words) ? words : ""
}

/** Code and other text of several lines that a person decides about: what would hide or turn a part of it is spelled out. */
export const spellOut = (text: string): string =>
  text
    .replace(turning, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`)
    .replace(control, "\ufffd")

/** Text that Discord takes: half signs and NUL it refuses. */
export const sendable = (text: string): string => text.replace(loneSurrogate, "\ufffd").replaceAll("\0", "\ufffd")

/** Half of a sign. */
export const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** More is never shown of a line. */
const longest = 20_000

/** Control characters, signs without width, and marks, embeddings, overrides and isolates of direction. */
const unseen = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]/gu

/** Embeddings, overrides and isolates of bidirectional text. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g

/** Control characters that are no white space. */
// oxlint-disable-next-line no-control-regex
const control = /[\0-\x08\x0e-\x1f\x7f-\x9f]/g

/** Anything but white space, marks upon nothing, and signs that have no shape. */
const visible = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u
