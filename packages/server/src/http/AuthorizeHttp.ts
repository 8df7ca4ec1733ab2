import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Applications } from "../Applications.ts"
import * as AuthorizationRequest from "../AuthorizationRequest.ts"
import { Audit } from "../Audit.ts"
import { Consents } from "../Consents.ts"
import { Grants } from "../Grants.ts"
import * as FormBody from "../internal/FormBody.ts"
import * as RedirectUri from "../internal/RedirectUri.ts"
import * as Secret from "../internal/Secret.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { SignIns } from "../SignIns.ts"
import * as AuthorizePages from "./AuthorizePages.ts"
import * as BrowserSession from "./BrowserSession.ts"

/**
 * The authorize page (4.1): sign in, consent, back to the application. It answers GET and POST (decision 40); a POST
 * with a `step` comes from a form of these pages, any other is an authorization request in a body.
 */
export const layer: Layer.Layer<never, never, Applications | Audit | Consents | Grants | ServerConfig | SignIns> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Applications | Audit | Consents | Grants | ServerConfig | SignIns>()
      const get = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* show(new URL(request.url, "http://any").searchParams)
      })
      const post = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* FormBody.requireForm(request)
        const parameters = new URLSearchParams(yield* request.text)
        return yield* parameters.has("step") ? act(parameters) : show(parameters)
      })
      yield* router.get(AuthorizePages.path, Effect.provide(get, context))
      yield* router.post(AuthorizePages.path, Effect.provide(post, context))
    })
  )

/** Shows what comes next: sign-in, consent, or straight back when this was allowed before. */
const show = (parameters: URLSearchParams) =>
  withRequest(parameters, (asked) =>
    Effect.gen(function* () {
      const session = yield* BrowserSession.current
      const account = Option.isSome(session) ? yield* (yield* SignIns).account(session.value) : Option.none()
      if (Option.isNone(account)) return yield* signInPage(parameters, asked, session, {})
      const question = { userId: account.value.userId, clientId: asked.application.clientId, scopes: asked.scopes }
      if (yield* (yield* Consents).given(question)) return yield* allowed(asked, account.value.userId, 302)
      const formToken = (yield* SignIns).formToken(Option.getOrThrow(session), consentQuestion(parameters))
      return AuthorizePages.consent({ parameters, asked, account: account.value, formToken })
    })
  )

/** Does what a button of these pages asks, once the form has proved that it is ours. */
const act = (parameters: URLSearchParams) =>
  withRequest(parameters, (asked) =>
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const session = yield* BrowserSession.current
      const step = parameters.get("step")
      const question = step === "sign_in" ? signInQuestion(parameters) : consentQuestion(parameters)
      if (
        Option.isNone(session) ||
        !Secret.equal(signIns.formToken(session.value, question), parameters.get("form_token") ?? "")
      ) {
        return AuthorizePages.staleForm(parameters)
      }
      if (step === "sign_in") return yield* signIn(parameters, asked, session.value)
      if (step === "sign_out") {
        yield* signIns.signOut(session.value)
        return BrowserSession.redirect(AuthorizePages.address(parameters), 303)
      }
      const account = yield* signIns.account(session.value)
      const { contract } = yield* ServerConfig
      const chosen = parameters.has("choose") ? parameters.getAll("grant") : undefined
      const scopes = AuthorizationRequest.granted(asked.scopes, chosen, contract.partialConsent)
      if (step === "cancel" || (step === "allow" && scopes.size === 0)) {
        const userId = Option.getOrUndefined(account)?.userId
        yield* consent("access_denied", asked, userId)
        const denied = { error: "access_denied", error_description: "The user did not allow it.", state: asked.state }
        return yield* answer(asked, denied, 303)
      }
      if (step !== "allow" || Option.isNone(account))
        return BrowserSession.redirect(AuthorizePages.address(parameters), 303)
      const { userId } = account.value
      yield* (yield* Consents).remember({ userId, clientId: asked.application.clientId, scopes })
      yield* consent("success", asked, userId)
      return yield* allowed({ ...asked, scopes }, userId, 303)
    })
  )

const signIn = (
  parameters: URLSearchParams,
  asked: AuthorizationRequest.AuthorizationRequest,
  session: Redacted.Redacted
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const name = (parameters.get("name") ?? "").slice(0, 64)
    const again = (problem: string, status: number) =>
      signInPage(parameters, asked, Option.some(session), { name, problem, status })
    const signedIn = yield* (yield* SignIns)
      .signIn({
        name,
        password: Redacted.make((parameters.get("password") ?? "").slice(0, 512)),
        address: Option.getOrElse(request.remoteAddress, () => "unknown")
      })
      .pipe(Effect.either)
    if (signedIn._tag === "Left") {
      const minutes = Math.max(1, Math.ceil((signedIn.left.retryAfter ?? 60) / 60))
      const page = yield* again(
        `Too many tries for this account. Wait ${minutes} minute${minutes === 1 ? "" : "s"}, then try again.`,
        429
      )
      return HttpServerResponse.setHeader(page, "retry-after", String(signedIn.left.retryAfter ?? 60))
    }
    if (Option.isNone(signedIn.right)) {
      return yield* again("The account name or the password is wrong. Check both and try again.", 401)
    }
    return yield* BrowserSession.keep(
      BrowserSession.redirect(AuthorizePages.address(parameters), 303),
      signedIn.right.value
    )
  })

const signInPage = (
  parameters: URLSearchParams,
  asked: AuthorizationRequest.AuthorizationRequest,
  session: Option.Option<Redacted.Redacted>,
  retry: { readonly name?: string; readonly problem?: string; readonly status?: number }
) =>
  Effect.gen(function* () {
    const signIns = yield* SignIns
    const { signInHint } = yield* ServerConfig
    const current = Option.isSome(session) ? session.value : yield* signIns.open
    const formToken = signIns.formToken(current, signInQuestion(parameters))
    const page = AuthorizePages.signIn({ parameters, asked, formToken, hint: signInHint, ...retry })
    return Option.isSome(session) ? page : yield* BrowserSession.keep(page, current)
  })

const allowed = (asked: AuthorizationRequest.AuthorizationRequest, userId: string, status: 302 | 303) =>
  Effect.gen(function* () {
    const code = yield* (yield* Grants).authorize({
      clientId: asked.application.clientId,
      userId,
      scopes: asked.scopes,
      redirectUri: asked.redirectUri,
      codeChallenge: asked.codeChallenge
    })
    return yield* answer(asked, { code: Redacted.value(code), state: asked.state }, status)
  })

/** Sends the person back to the application; with `issuerParameter` the answer says who gives it (RFC 9207). */
const answer = (
  asked: { readonly redirectUri: string },
  parameters: Readonly<Record<string, string | undefined>>,
  status: 302 | 303
) =>
  Effect.map(ServerConfig, ({ contract, publicUrl }) =>
    BrowserSession.redirect(
      RedirectUri.withParameters(asked.redirectUri, {
        ...parameters,
        iss: contract.issuerParameter ? publicUrl : undefined
      }),
      status
    )
  )

const consent = (
  outcome: "success" | "access_denied",
  asked: AuthorizationRequest.AuthorizationRequest,
  userId: string | undefined
) =>
  Effect.flatMap(Audit, (audit) =>
    audit.record({ action: "consent", outcome, userId, clientId: asked.application.clientId })
  )

/** Checks the request first; a faulty one is answered as decisions 36 and 37 say. */
const withRequest = <A, E, R>(
  parameters: URLSearchParams,
  next: (asked: AuthorizationRequest.AuthorizationRequest) => Effect.Effect<A, E, R>
) =>
  AuthorizationRequest.parse(parameters).pipe(
    Effect.matchEffect({
      onSuccess: next,
      onFailure: (failure) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          // Whoever is no browser gets the refusal as every other endpoint writes it.
          if (!(request.headers["accept"] ?? "").includes("text/html")) return yield* failure.refusal
          if (failure._tag === "Untrusted") return AuthorizePages.untrusted(failure.refusal)
          const { code, description } = failure.refusal
          return yield* answer(failure, { error: code, error_description: description, state: failure.state }, 302)
        })
    })
  )

// Two pages, two questions: a token of the sign-in page must not press the consent page's button.
const signInQuestion = (parameters: URLSearchParams) => `sign_in ${AuthorizePages.address(parameters)}`
const consentQuestion = (parameters: URLSearchParams) => `consent ${AuthorizePages.address(parameters)}`
