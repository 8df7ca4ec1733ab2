import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Applications } from "../../oauth/Applications.ts"
import * as AuthorizationRequest from "../../oauth/AuthorizationRequest.ts"
import { Audit } from "../../audit/Audit.ts"
import { Consents } from "../../oauth/Consents.ts"
import { Grants } from "../../oauth/Grants.ts"
import * as FormBody from "../message/FormBody.ts"
import * as RedirectUri from "../../oauth/RedirectUri.ts"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { SignIns } from "../../accounts/SignIns.ts"
import * as AuthorizePages from "./AuthorizePages.ts"
import * as BrowserSession from "./BrowserSession.ts"
import * as ConnectedAppsPages from "./ConnectedAppsPages.ts"
import * as CsrfCheck from "./CsrfCheck.ts"
import * as Locale from "../pages/Locale.ts"
import * as PublicPath from "../message/PublicPath.ts"
import * as Query from "../message/Query.ts"
import * as SignInForm from "./SignInForm.ts"
import * as SignInHint from "./SignInHint.ts"
import * as RefusedForm from "./RefusedForm.ts"

/**
 * The authorize page (contract 4.1): sign in, consent, back to the application. It answers GET and POST (contract
 * decision 40); a POST with a `step` comes from a form of these pages, any other is an authorization request in a
 * body.
 */
export const layer: Layer.Layer<never, never, Applications | Audit | Consents | Grants | ServerConfig | SignIns> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Applications | Audit | Consents | Grants | ServerConfig | SignIns>()
      const get = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* show(Query.of(request.url))
      })
      const post = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* FormBody.requireForm(request)
        const parameters = new URLSearchParams(yield* request.text)
        return yield* parameters.has("step") ? act(parameters) : askAgain(parameters)
      })
      yield* router.get(AuthorizePages.path, Effect.provide(get, context))
      yield* router.post(AuthorizePages.path, Effect.provide(post, context))
    })
  )

/** Shows what comes next: sign-in, consent, or straight back when this was allowed before. */
const show = (parameters: URLSearchParams) =>
  withRequest(parameters, (asked) =>
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const session = yield* BrowserSession.current
      const account = Option.isSome(session) ? yield* signIns.account(session.value) : Option.none()
      if (Option.isNone(session) || Option.isNone(account)) return yield* signInPage(parameters, asked, session, {})
      const question = { userId: account.value.userId, clientId: asked.application.clientId, scopes: asked.scopes }
      // Anybody may claim to be an application without a secret, so that only a click tells (RFC 8252 8.6).
      if (!asked.application.public && (yield* (yield* Consents).given(question)))
        return yield* allowed(asked, account.value.userId, 302)
      const { contract, publicUrl } = yield* ServerConfig
      return AuthorizePages.consent(yield* form(parameters, session.value, "consent"), {
        asked,
        account: account.value,
        choose: contract.partialConsent,
        connectedApps: PublicPath.of(publicUrl, ConnectedAppsPages.path)
      })
    })
  )

/**
 * Asks for the page of a request that came in a body. A browser sends no session with what another site posts, so that
 * the page in answer would forget who is signed in.
 */
const askAgain = (parameters: URLSearchParams) =>
  withRequest(parameters, (asked) => {
    const short = new URLSearchParams(parameters)
    if (short.has("scope")) short.set("scope", [...asked.scopes].sort().join(" "))
    return Effect.map(location(short), (address) => BrowserSession.redirect(address, 303))
  })

/** Does what a button of these pages asks, once the form has proved that it is ours. */
const act = (parameters: URLSearchParams) =>
  withRequest(parameters, (asked) =>
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const step = parameters.get("step")
      const again = yield* location(parameters)
      const messages = yield* Locale.fromForm(parameters)
      const proof = yield* CsrfCheck.check(
        parameters.get("form_token") ?? "",
        pagesOf(step).map((page) => question(parameters, page))
      ).pipe(Effect.either)
      if (proof._tag === "Left")
        return RefusedForm.respond(
          messages.refusedForm[proof.left],
          { href: again, label: messages.startAgain },
          messages
        )
      const session = proof.right

      if (step === "sign_in") {
        const { name, password } = { name: parameters.get("name") ?? "", password: parameters.get("password") ?? "" }
        return yield* SignInForm.attempt(
          { name, password },
          {
            session,
            next: again,
            messages: messages.signIn,
            clientId: asked.application.clientId,
            again: (retry) => signInPage(parameters, asked, Option.some(session), retry)
          }
        )
      }
      if (step === "sign_out") {
        yield* signIns.signOut(session)
        return yield* BrowserSession.forget(BrowserSession.redirect(again, 303))
      }
      const account = yield* signIns.account(session)
      const { contract } = yield* ServerConfig
      const chosen = parameters.has("choose") ? parameters.getAll("grant") : undefined
      const scopes = AuthorizationRequest.granted(asked.scopes, chosen, contract.partialConsent)
      if (step === "cancel" || (step === "allow" && scopes.size === 0)) {
        yield* record("access_denied", asked, Option.getOrUndefined(account)?.userId)
        const denied = { error: "access_denied", error_description: "The user did not allow it.", state: asked.state }
        return yield* answer(asked, denied, 303)
      }
      if (step !== "allow") return BrowserSession.redirect(again, 303)
      if (Option.isNone(account)) {
        const notice = messages.signIn.ended.allow
        return yield* signInPage(parameters, asked, Option.some(session), { notice, status: 401 })
      }
      const { userId } = account.value
      const { clientId } = asked.application
      if (!asked.application.public) yield* (yield* Consents).remember({ userId, clientId, scopes })
      yield* record("success", asked, userId)
      return yield* allowed({ ...asked, scopes }, userId, 303)
    })
  )

const signInPage = (
  parameters: URLSearchParams,
  asked: AuthorizationRequest.AuthorizationRequest,
  session: Option.Option<Redacted.Redacted>,
  more: Partial<SignInForm.Retry> & { readonly notice?: string }
) =>
  Effect.gen(function* () {
    const signInHint = yield* SignInHint.shown
    const current = Option.isSome(session) ? session.value : yield* (yield* SignIns).open
    const page = AuthorizePages.signIn(yield* form(parameters, current, "sign_in"), {
      asked,
      hint: signInHint,
      ...more
    })
    return Option.isSome(session) ? page : yield* BrowserSession.begin(page, current)
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

const record = (
  outcome: "success" | "access_denied",
  asked: AuthorizationRequest.AuthorizationRequest,
  userId: string | undefined
) =>
  Effect.flatMap(Audit, (audit) =>
    audit.record({ action: "consent", outcome, userId, clientId: asked.application.clientId })
  )

/** Checks the request first; a faulty one is answered as contract decisions 36 and 37 say. */
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
          // Other clients than browsers get the same error as at every other endpoint.
          if (!(request.headers["accept"] ?? "").includes("text/html")) return yield* failure.refusal
          if (failure._tag === "Untrusted") {
            return AuthorizePages.untrusted(failure.refusal, yield* Locale.fromForm(parameters))
          }
          const { code, description } = failure.refusal
          return yield* answer(failure, { error: code, error_description: description, state: failure.state }, 302)
        })
    })
  )

/** The address of a request's page as browsers see it. */
const location = (parameters: URLSearchParams) =>
  Effect.map(ServerConfig, ({ publicUrl }) => PublicPath.of(publicUrl, AuthorizePages.address(parameters)))

/** Which page a form was on: a token of the sign-in page must not press the consent page's button. */
type FormPage = "sign_in" | "consent"

const pagesOf = (step: string | null): ReadonlyArray<FormPage> =>
  step === "sign_in" ? ["sign_in"] : step === "cancel" ? ["sign_in", "consent"] : ["consent"]

const question = (parameters: URLSearchParams, page: FormPage) => `${page} ${AuthorizePages.address(parameters)}`

const form = (parameters: URLSearchParams, session: Redacted.Redacted, page: FormPage) =>
  Effect.gen(function* () {
    const { publicUrl } = yield* ServerConfig
    const csrfToken = (yield* SignIns).csrfToken(session, question(parameters, page))
    const messages = yield* Locale.fromForm(parameters)
    return { messages, action: PublicPath.of(publicUrl, AuthorizePages.path), parameters, csrfToken }
  })
