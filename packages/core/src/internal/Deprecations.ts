import * as Effect from "effect/Effect"
import * as Metrics from "../Metrics.ts"
import * as ErrorBody from "./ErrorBody.ts"
import type { Response, SentRequest } from "./Request.ts"
import * as Secrets from "./Secrets.ts"

/**
 * Counts responses that announce the end of their operation (contract decision 27), and logs the first of each
 * operation. Gives `undefined` for all others.
 */
export const make = () => {
  const logged = new Set<string>()
  return (operation: string, request: SentRequest, { headers }: Response): Effect.Effect<void> | undefined => {
    const headerNames = ["deprecation", "sunset"].filter((name) => headers[name] !== undefined)
    if (headerNames.length === 0) return undefined
    const redact = Secrets.redactor(Secrets.inRequest(request))
    const announcements = headerNames.map(
      (name) => [name, ErrorBody.sanitize(headers[name] ?? "", 100, redact)] as const
    )
    const isFirst = !logged.has(operation)
    logged.add(operation)
    return Effect.logWarning(`The service announces the end of ${operation}`).pipe(
      Effect.annotateLogs(Object.fromEntries(announcements)),
      Effect.when(() => isFirst),
      Effect.zipRight(Metrics.count(Metrics.deprecations, operation))
    )
  }
}
