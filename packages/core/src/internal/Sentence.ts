/** Adds a full stop to a sentence without a final punctuation mark. */
export const withFullStop = (sentence: string): string => `${sentence}${/[.!?…]$/.test(sentence) ? "" : "."}`

/** The request id in a message for people, where there is one. */
export const requestNote = (requestId: string | undefined): string =>
  requestId === undefined ? "" : ` (request ${requestId})`
