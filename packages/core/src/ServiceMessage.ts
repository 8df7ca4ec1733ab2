import type * as Redacted from "effect/Redacted"
import * as ErrorBody from "./internal/ErrorBody.ts"
import { redactor } from "./internal/Secrets.ts"

/**
 * The words of an error body, in JSON of any shape or in plain text, that are safe to show: one line of at most `limit`
 * characters without URLs, these secrets or what looks like a credential. Undefined for HTML, and where it has no words.
 */
export const read = (
  body: string,
  limit: number,
  secrets: ReadonlyArray<Redacted.Redacted> = []
): string | undefined => {
  const { code, description = code } = ErrorBody.read(body)
  if (description === undefined || /^\s*</.test(body) || /<[a-z!/]/i.test(description)) return undefined
  const withoutUrls = description.slice(0, limit * 4).replace(/[a-z][a-z\d+.-]*:\/\/\S+/gi, "[link]")
  return ErrorBody.sanitize(withoutUrls, limit, redactor(secrets)) || undefined
}
