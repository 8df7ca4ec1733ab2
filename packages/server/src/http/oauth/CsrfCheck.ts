import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Secret from "../../internal/Secret.ts"
import { SignIns } from "../../accounts/SignIns.ts"
import * as BrowserSession from "./BrowserSession.ts"
import type { Messages } from "../pages/Messages.ts"

/**
 * Returns the session of a form after the CSRF check. The check requires that the form comes from this site, and that
 * its token was issued to this session for one of these forms. Else fails with the reason.
 */
export const check = (
  csrfToken: string,
  purposes: ReadonlyArray<string>
): Effect.Effect<
  Redacted.Redacted,
  keyof Messages["refusedForm"],
  SignIns | Effect.Effect.Context<typeof BrowserSession.current | typeof BrowserSession.isFromOwnPage>
> =>
  Effect.gen(function* () {
    const signIns = yield* SignIns
    if (!(yield* BrowserSession.isFromOwnPage)) return yield* Effect.fail("foreign" as const)
    const session = yield* BrowserSession.current
    if (Option.isNone(session)) return yield* Effect.fail("noCookie" as const)
    const isValid = purposes.some((purpose) => Secret.equal(signIns.csrfToken(session.value, purpose), csrfToken))
    return isValid ? session.value : yield* Effect.fail("stale" as const)
  })
