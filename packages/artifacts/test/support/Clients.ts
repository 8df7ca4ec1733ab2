import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

type Run = <A, E>(name: string, effect: () => Effect.Effect<A, E, Scope.Scope | HttpClient.HttpClient>) => void

/** A suite over each HTTP client; `run` defines a test that has the client. */
export const overEachClient = (
  title: string,
  options: { readonly concurrent?: boolean; readonly timeout?: number },
  suite: (run: Run) => void
): void =>
  describe.each([
    ["fetch", FetchHttpClient.layer],
    ["undici", NodeHttpClient.layerUndici]
  ] as const)(`${title} over %s`, options, (_, client) =>
    suite((name, effect) => it.scopedLive(name, () => Effect.suspend(effect).pipe(Effect.provide(client))))
  )
