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
 * decision 40). A POST with a `step` comes from a form of these pages. Any other is an authorization request in a body.
 */
export const layer: Layer.Layer<never, never, Applications | Audit | Consents | Grants | ServerConfig | SignIns> =
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Applications | Audit | Consents | Grants | ServerConfig | SignIns>()
      const get = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* showPage(Query.of(request.url))
      })
      const post = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* FormBody.requireForm(request)
        const parameters = new URLSearchParams(yield* request.text)
        return yield* parameters.has("step") ? handleForm(parameters) : redirectToGet(parameters)
      })
      yield* router.get(AuthorizePages.path, Effect.provide(get, context))
      yield* router.post(AuthorizePages.path, Effect.provide(post, context))
    })
  )

/** Shows the next page: sign-in or consent; redirects when the user allowed the same before. */
const showPage = (parameters: URLSearchParams) =>
  withRequest(parameters, (authorization) =>
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const session = yield* BrowserSession.current
      const account = Option.isSome(session) ? yield* signIns.account(session.value) : Option.none()
      if (Option.isNone(session) || Option.isNone(account))
        return yield* signInPage(parameters, authorization, session, {})
      const consentQuery = {
        userId: account.value.userId,
        clientId: authorization.application.clientId,
        scopes: authorization.scopes
      }
      // Any program can pose as an application without a secret, so only a click counts (RFC 8252 8.6).
      if (!authorization.application.public && (yield* (yield* Consents).hasConsented(consentQuery)))
        return yield* redirectWithCode(authorization, account.value.userId, 302)
      const { contract, publicUrl } = yield* ServerConfig
      return AuthorizePages.consent(yield* makeForm(parameters, session.value, "consent"), {
        authorization,
        account: account.value,
        mayLeaveOutScopes: contract.partialConsent,
        connectedAppsUrl: PublicPath.of(publicUrl, ConnectedAppsPages.path)
      })
    })
  )

/**
 * Redirects a request in a body to the same page by GET. A browser sends no session cookie with a POST from another
 * site, so the page would not know who is signed in.
 */
const redirectToGet = (parameters: URLSearchParams) =>
  withRequest(parameters, (authorization) => {
    const query = new URLSearchParams(parameters)
    if (query.has("scope")) query.set("scope", [...authorization.scopes].sort().join(" "))
    return Effect.map(pageUrl(query), (address) => BrowserSession.redirect(address, 303))
  })

/** Handles a posted form after the CSRF check. */
const handleForm = (parameters: URLSearchParams) =>
  withRequest(parameters, (authorization) =>
    Effect.gen(function* () {
      const signIns = yield* SignIns
      const step = parameters.get("step")
      const url = yield* pageUrl(parameters)
      const messages = yield* Locale.fromForm(parameters)
      const checkedSession = yield* CsrfCheck.check(
        parameters.get("form_token") ?? "",
        formPagesOf(step).map((page) => csrfPurpose(parameters, page))
      ).pipe(Effect.either)
      if (checkedSession._tag === "Left")
        return RefusedForm.respond(
          messages.refusedForm[checkedSession.left],
          { href: url, label: messages.startAgain },
          messages
        )
      const session = checkedSession.right

      const signInResponse = yield* SignInForm.handleStep(step, (name) => parameters.get(name), {
        session,
        signedIn: url,
        signedOut: url,
        messages: messages.signIn,
        clientId: authorization.application.clientId,
        showAgain: (retry) => signInPage(parameters, authorization, Option.some(session), retry)
      })
      if (signInResponse !== undefined) return signInResponse
      const account = yield* signIns.account(session)
      const { contract } = yield* ServerConfig
      const selectedScopes = parameters.has("choose") ? parameters.getAll("grant") : undefined
      const scopes = AuthorizationRequest.grantedScopes(authorization.scopes, selectedScopes, contract.partialConsent)
      if (step === "cancel" || (step === "allow" && scopes.size === 0)) {
        yield* recordConsent("access_denied", authorization, Option.getOrUndefined(account)?.userId)
        const errorParameters = {
          error: "access_denied",
          error_description: "The user did not allow it.",
          state: authorization.state
        }
        return yield* redirectToApplication(authorization, errorParameters, 303)
      }
      if (step !== "allow") return BrowserSession.redirect(url, 303)
      if (Option.isNone(account)) {
        const notice = messages.signIn.sessionEnded.allow
        return yield* signInPage(parameters, authorization, Option.some(session), { notice, status: 401 })
      }
      const { userId } = account.value
      const { clientId } = authorization.application
      if (!authorization.application.public) yield* (yield* Consents).remember({ userId, clientId, scopes })
      yield* recordConsent("success", authorization, userId)
      return yield* redirectWithCode({ ...authorization, scopes }, userId, 303)
    })
  )

const signInPage = (
  parameters: URLSearchParams,
  authorization: AuthorizationRequest.AuthorizationRequest,
  session: Option.Option<Redacted.Redacted>,
  retry: Partial<SignInForm.Retry> & { readonly notice?: string }
) =>
  Effect.gen(function* () {
    const signInHint = yield* SignInHint.current
    const current = Option.isSome(session) ? session.value : yield* (yield* SignIns).open
    const page = AuthorizePages.signIn(yield* makeForm(parameters, current, "sign_in"), {
      authorization,
      hint: signInHint,
      ...retry
    })
    return Option.isSome(session) ? page : yield* BrowserSession.keepNew(page, current)
  })

const redirectWithCode = (
  authorization: AuthorizationRequest.AuthorizationRequest,
  userId: string,
  status: 302 | 303
) =>
  Effect.gen(function* () {
    const code = yield* (yield* Grants).authorize({
      clientId: authorization.application.clientId,
      userId,
      scopes: authorization.scopes,
      redirectUri: authorization.redirectUri,
      codeChallenge: authorization.codeChallenge
    })
    return yield* redirectToApplication(
      authorization,
      { code: Redacted.value(code), state: authorization.state },
      status
    )
  })

/** Sends the person back to the application; with `issuerParameter` the redirect names the issuer (RFC 9207). */
const redirectToApplication = (
  authorization: { readonly redirectUri: string },
  parameters: Readonly<Record<string, string | undefined>>,
  status: 302 | 303
) =>
  Effect.map(ServerConfig, ({ contract, publicUrl }) =>
    BrowserSession.redirect(
      RedirectUri.withParameters(authorization.redirectUri, {
        ...parameters,
        iss: contract.issuerParameter ? publicUrl : undefined
      }),
      status
    )
  )

const recordConsent = (
  outcome: "success" | "access_denied",
  authorization: AuthorizationRequest.AuthorizationRequest,
  userId: string | undefined
) =>
  Effect.flatMap(Audit, (audit) =>
    audit.record({ action: "consent", outcome, userId, clientId: authorization.application.clientId })
  )

/** Checks the request first; an invalid one gets the error of contract decisions 36 and 37. */
const withRequest = <A, E, R>(
  parameters: URLSearchParams,
  next: (authorization: AuthorizationRequest.AuthorizationRequest) => Effect.Effect<A, E, R>
) =>
  AuthorizationRequest.parse(parameters).pipe(
    Effect.matchEffect({
      onSuccess: next,
      onFailure: (failure) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          // Clients other than browsers get the common error body.
          if (!(request.headers["accept"] ?? "").includes("text/html")) return yield* failure.refusal
          if (failure._tag === "Untrusted") {
            return AuthorizePages.untrustedRequest(failure.refusal, yield* Locale.fromForm(parameters))
          }
          const { code, description } = failure.refusal
          return yield* redirectToApplication(
            failure,
            { error: code, error_description: description, state: failure.state },
            302
          )
        })
    })
  )

/** The URL of a request's page as browsers see it. */
const pageUrl = (parameters: URLSearchParams) =>
  Effect.map(ServerConfig, ({ publicUrl }) => PublicPath.of(publicUrl, AuthorizePages.address(parameters)))

/** The page of a form: a CSRF token of the sign-in page must not be valid for consent. */
type FormPage = "sign_in" | "consent"

const formPagesOf = (step: string | null): ReadonlyArray<FormPage> =>
  step === "sign_in" ? ["sign_in"] : step === "cancel" ? ["sign_in", "consent"] : ["consent"]

const csrfPurpose = (parameters: URLSearchParams, page: FormPage) => `${page} ${AuthorizePages.address(parameters)}`

const makeForm = (parameters: URLSearchParams, session: Redacted.Redacted, page: FormPage) =>
  Effect.gen(function* () {
    const { publicUrl } = yield* ServerConfig
    const csrfToken = (yield* SignIns).csrfToken(session, csrfPurpose(parameters, page))
    const messages = yield* Locale.fromForm(parameters)
    return { messages, action: PublicPath.of(publicUrl, AuthorizePages.path), parameters, csrfToken }
  })
