/** A sentence with its final mark. */
export const ended = (sentence: string): string => `${sentence}${/[.!?…]$/.test(sentence) ? "" : "."}`

/** The request id in a message for people, where there is one. */
export const requestNote = (requestId: string | undefined): string =>
  requestId === undefined ? "" : ` (request ${requestId})`
