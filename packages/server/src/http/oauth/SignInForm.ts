import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SignIns } from "../../accounts/SignIns.ts"
import * as BrowserSession from "./BrowserSession.ts"
import type { Messages } from "../pages/Messages.ts"

/** What the sign-in page says when it is shown again. */
export interface Retry {
  readonly name: string
  readonly problem: string
  readonly status: 401 | 429 | 503
}

/**
 * Tries the name and the password of a form. Who is right goes on with a new session, and the one before is over;
 * otherwise `again` shows the page with the reason.
 */
export const attempt = <E, R>(
  form: { readonly name: string; readonly password: string },
  options: {
    readonly session: Redacted.Redacted
    readonly next: string
    readonly messages: Messages["signIn"]
    /** The application on whose behalf the page was shown. */
    readonly clientId?: string
    readonly again: (retry: Retry) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  }
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const signIns = yield* SignIns
    const name = form.name.slice(0, 64)
    const signedIn = yield* signIns
      .signIn({
        name,
        password: Redacted.make(form.password.slice(0, 512)),
        address: Option.getOrElse(request.remoteAddress, () => "unknown"),
        clientId: options.clientId
      })
      .pipe(Effect.either)
    if (signedIn._tag === "Left") {
      const { description = "", retryAfter = 60 } = signedIn.left
      const problem = options.messages.refused(description, retryAfter)
      const page = yield* options.again({ name, problem, status: signedIn.left._tag === "RateLimited" ? 429 : 503 })
      return HttpServerResponse.setHeader(page, "retry-after", String(retryAfter))
    }
    if (Option.isNone(signedIn.right)) {
      return yield* options.again({ name, problem: options.messages.wrong, status: 401 })
    }
    yield* signIns.signOut(options.session)
    return yield* BrowserSession.keep(BrowserSession.redirect(options.next, 303), signedIn.right.value)
  })
