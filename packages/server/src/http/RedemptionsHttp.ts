import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as Effect from "effect/Effect"
import * as Refuse from "../internal/Refuse.ts"

/** Redemption (4.12): no code has been issued. */
export const layer = HttpApiBuilder.group(OpenApi, "redemptions", (handlers) =>
  handlers.handle("redeem", () => Effect.fail(Refuse.notFound("There is no such redemption code.")))
)
