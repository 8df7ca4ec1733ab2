import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { request, token, codeFields } from "./support/Api.ts"
import { authorize, authorizePath } from "./support/Browser.ts"
import * as TestServer from "./support/TestServer.ts"

/** Runs an effect and gives every span that it and what it starts makes. */
const collecting = <A, E, R>(run: (spans: ReadonlyArray<Tracer.Span>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const native = yield* Effect.tracer
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (...given) => {
        const span = native.span(...given)
        spans.push(span)
        return span
      },
      context: (run, fiber) => native.context(run, fiber)
    })
    return yield* Effect.withTracer(run(spans), tracer)
  })

describe("Untraced", () => {
  it.scopedLive("leaves codes, states and signatures in no span", () =>
    collecting((spans) =>
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        const callback = yield* authorize(server, { state: "a-secret-state" })
        const code = callback.get("code") ?? ""
        assert.strictEqual((yield* token(server, codeFields(server, code))).status, 200)
        yield* request(server, authorizePath(server, { state: "a-secret-state" }).replace("authorize", "%61uthorize"))
        yield* request(server, "/sandboxes/one/artifacts/a.png?expires=1&%73ignature=a-secret-signature")
        const told = spans.flatMap((span) => [span.name, ...[...span.attributes.values()].map(String)])
        assert.isTrue(told.some((text) => text.includes("/openapi/v2/token")))
        for (const secret of [code, "a-secret-state", "a-secret-signature", server.clientSecret]) {
          assert.isAbove(secret.length, 8)
          assert.deepStrictEqual(
            told.filter((text) => text.includes(secret)),
            []
          )
        }
      })
    )
  )
})
