import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SignIns } from "../../accounts/SignIns.ts"
import * as BrowserSession from "./BrowserSession.ts"
import type { Messages } from "../pages/Messages.ts"

/** The state of a sign-in page after a failed try. */
export interface Retry {
  readonly name: string
  readonly problem: string
  readonly status: 401 | 429 | 503
}

/** What the steps of a sign-in depend on. */
interface Options<E, R> {
  readonly session: Redacted.Redacted
  /** The address after a sign-in. */
  readonly signedIn: string
  /** The address after a sign-out. */
  readonly signedOut: string
  readonly messages: Messages["signIn"]
  /** The application that the person signs in for. */
  readonly clientId?: string
  /** Makes the page of a failed sign-in, with the reason. */
  readonly showAgain: (retry: Retry) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
}

/** Handles the steps `sign_in` and `sign_out` of a form; returns `undefined` for all others. */
export const handleStep = <E, R>(
  step: string | null | undefined,
  field: (name: string) => string | null | undefined,
  options: Options<E, R>
) =>
  Effect.gen(function* () {
    if (step === "sign_in")
      return yield* signIn({ name: field("name") ?? "", password: field("password") ?? "" }, options)
    if (step !== "sign_out") return undefined
    yield* (yield* SignIns).signOut(options.session)
    return yield* BrowserSession.forget(BrowserSession.redirect(options.signedOut, 303))
  })

/** Checks the name and the password. A success starts a new session and ends the old one. */
const signIn = <E, R>(form: { readonly name: string; readonly password: string }, options: Options<E, R>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const signIns = yield* SignIns
    const name = form.name.slice(0, 64)
    const result = yield* signIns
      .signIn({
        name,
        password: Redacted.make(form.password.slice(0, 512)),
        address: Option.getOrElse(request.remoteAddress, () => "unknown"),
        clientId: options.clientId
      })
      .pipe(Effect.either)
    if (result._tag === "Left") {
      const { description = "", retryAfter = 60 } = result.left
      const problem = options.messages.notAttempted(description, retryAfter)
      const page = yield* options.showAgain({ name, problem, status: result.left._tag === "RateLimited" ? 429 : 503 })
      return HttpServerResponse.setHeader(page, "retry-after", String(retryAfter))
    }
    if (Option.isNone(result.right)) {
      return yield* options.showAgain({ name, problem: options.messages.wrongCredentials, status: 401 })
    }
    yield* signIns.signOut(options.session)
    return yield* BrowserSession.keep(BrowserSession.redirect(options.signedIn, 303), result.right.value)
  })
