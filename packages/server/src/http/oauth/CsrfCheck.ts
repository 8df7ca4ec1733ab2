import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Secret from "../../internal/Secret.ts"
import { SignIns } from "../../accounts/SignIns.ts"
import * as BrowserSession from "./BrowserSession.ts"
import type { Messages } from "../pages/Messages.ts"

/**
 * The session that a form belongs to, once the form has proved that this session was shown one of these questions and
 * that no other site sent it; else why it does not do.
 */
export const check = (
  csrfToken: string,
  questions: ReadonlyArray<string>
): Effect.Effect<
  Redacted.Redacted,
  keyof Messages["refusedForm"],
  SignIns | Effect.Effect.Context<typeof BrowserSession.current | typeof BrowserSession.fromOwnPage>
> =>
  Effect.gen(function* () {
    const signIns = yield* SignIns
    if (!(yield* BrowserSession.fromOwnPage)) return yield* Effect.fail("foreign" as const)
    const session = yield* BrowserSession.current
    if (Option.isNone(session)) return yield* Effect.fail("noCookie" as const)
    const shown = questions.some((question) => Secret.equal(signIns.csrfToken(session.value, question), csrfToken))
    return shown ? session.value : yield* Effect.fail("stale" as const)
  })
