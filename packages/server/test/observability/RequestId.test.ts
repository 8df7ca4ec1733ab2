import { assert, it } from "@effect/vitest"
import * as RequestId from "@heddle/server/observability/RequestId"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"

it.effect("the id of a request is in its log lines, and in no others", () =>
  Effect.gen(function* () {
    const ids: Array<unknown> = []
    const logger = Logger.make(({ annotations }) => {
      ids.push(Option.getOrUndefined(HashMap.get(annotations, "request_id")))
    })
    const line = Effect.log("something happened")
    yield* line.pipe(
      Effect.zipRight(Effect.provideService(line, RequestId.RequestId, "r1")),
      RequestId.inLogs,
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    assert.deepStrictEqual(ids, [undefined, "r1"])
  })
)
