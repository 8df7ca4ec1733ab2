import { AssistantOptions, type Options } from "@heddle/server/assistant/AssistantOptions"
import type { ServerOptions } from "@heddle/server/config/ServerOptions"
import { withAda } from "@heddle/test-support/AssistantClient"
import * as Effect from "effect/Effect"
import * as TestServer from "../../support/TestServer.ts"

/** A service in this process with the account Ada, credentials of hers, and applications by name. */
export const service = (options: Partial<ServerOptions> = {}, channel: Partial<Options> = {}) =>
  Effect.flatMap(AssistantOptions, (defaults) =>
    TestServer.make(options).pipe(
      Effect.provideService(AssistantOptions, { ...defaults, ...channel }),
      Effect.flatMap(withAda)
    )
  )
