/** A code word in one spelling: `InternalServerError` and `internal server error` are `internal_server_error` (decision 8). */
export const normal = (word: string): string => {
  const snake = word
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase()
  return same[snake] ?? snake
}

/** Every text of an error body that may be the code word, in the shapes of decision 4. */
export const candidates = (json: unknown): ReadonlyArray<string> => {
  if (!isRecord(json)) return []
  const nested = isRecord(json["error"]) ? json["error"] : {}
  return [json["error"], json["code"], nested["code"], nested["status"], json["msg"], json["message"]]
    .filter((value) => typeof value === "string")
    .map(normal)
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const same: Readonly<Record<string, string>> = {
  internal_server_error: "server_error",
  temporarily_unavailable: "server_error",
  too_many_requests: "rate_limited"
}
