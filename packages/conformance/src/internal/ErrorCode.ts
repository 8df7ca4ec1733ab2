import { isRecord } from "./Json.ts"

/**
 * Normalizes the spelling of an error code: `InternalServerError` and `internal server error` are
 * `internal_server_error` (contract decision 8).
 */
export const normalize = (code: string): string => {
  const snake = code
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase()
  return synonyms[snake] ?? snake
}

/** Every text of an error body that may be its code, in the shapes of contract decision 4. */
export const errorCodesIn = (json: unknown): ReadonlyArray<string> => {
  if (!isRecord(json)) return []
  const nested = isRecord(json["error"]) ? json["error"] : {}
  return [json["error"], json["code"], nested["code"], nested["status"], json["msg"], json["message"]]
    .filter((value) => typeof value === "string")
    .map(normalize)
}

const synonyms: Readonly<Record<string, string>> = {
  internal_server_error: "server_error",
  temporarily_unavailable: "server_error",
  too_many_requests: "rate_limited"
}
