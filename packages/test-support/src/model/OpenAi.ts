// What OpenAI's Chat Completions and Responses have in common.

/** The media type of a `data:` address. */
export const typeOfDataUrl = (url: unknown): string =>
  typeof url === "string" ? (/^data:([^;,]+)/.exec(url)?.[1] ?? "link") : "unknown"

/** The body of a refused request. */
export const refusal = (status: number, message: string) => {
  const isQuota = status === 429
  return {
    error: {
      message,
      type: isQuota ? "insufficient_quota" : "server_error",
      code: isQuota ? "insufficient_quota" : null
    }
  }
}
