import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Metrics from "../Metrics.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as Secrets from "./Secrets.ts"

/** Notes answers that announce the end of their operation (decision 27): each is counted, the first of an operation logged. */
export const make = () => {
  const logged = new Set<string>()
  return (operation: string, { headers, request }: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
    Effect.suspend(() => {
      const safe = Secrets.remover(Secrets.of(request))
      const announced = ["deprecation", "sunset"].flatMap((name) => {
        const value = headers[name]
        return value === undefined ? [] : [[name, ErrorBody.presentable(safe(value), 100)] as const]
      })
      if (announced.length === 0) return Effect.void
      const isFirst = !logged.has(operation)
      logged.add(operation)
      return Effect.logWarning(`The service announces the end of ${operation}`).pipe(
        Effect.annotateLogs(Object.fromEntries(announced)),
        Effect.when(() => isFirst),
        Effect.zipRight(Metrics.count(Metrics.deprecations, operation))
      )
    })
}
