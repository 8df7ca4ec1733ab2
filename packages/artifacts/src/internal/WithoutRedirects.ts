import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"

/** Lets no redirect be followed: it would carry the token elsewhere. The answer's status is an error instead. */
export const run = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, FetchHttpClient.RequestInit, { redirect: "manual" })
