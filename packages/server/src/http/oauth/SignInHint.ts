import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as LoopbackRequest from "../message/LoopbackRequest.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"

/** The demo account that the sign-in page fills in, for callers on this machine only. */
export const current = Effect.gen(function* () {
  const { signInHint } = yield* ServerConfig
  return LoopbackRequest.is(yield* HttpServerRequest.HttpServerRequest) ? signInHint : undefined
})
