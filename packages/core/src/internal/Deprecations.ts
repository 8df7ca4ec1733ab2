import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Metrics from "../Metrics.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as Secrets from "./Secrets.ts"

/**
 * Notes answers that announce the end of their operation (contract decision 27): each is counted, the first of an
 * operation logged.
 */
export const make = () => {
  const logged = new Set<string>()
  return (operation: string, { headers, request }: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
    Effect.suspend(() => {
      const announced = ["deprecation", "sunset"].filter((name) => headers[name] !== undefined)
      if (announced.length === 0) return Effect.void
      const safe = Secrets.redactor(Secrets.of(request))
      const said = announced.map((name) => [name, ErrorBody.sanitize(headers[name] ?? "", 100, safe)] as const)
      const isFirst = !logged.has(operation)
      logged.add(operation)
      return Effect.logWarning(`The service announces the end of ${operation}`).pipe(
        Effect.annotateLogs(Object.fromEntries(said)),
        Effect.when(() => isFirst),
        Effect.zipRight(Metrics.count(Metrics.deprecations, operation))
      )
    })
}
