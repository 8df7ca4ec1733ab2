import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { InvalidClient, InvalidRequest } from "@heddle/core/OpenApiError"
import type { Account } from "../../accounts/Accounts.ts"
import { parameterNames, type AuthorizationRequest } from "../../oauth/AuthorizationRequest.ts"
import * as ConsentPage from "../pages/ConsentPage.ts"
import { html, type Html } from "../pages/Html.ts"
import * as Layout from "../pages/Layout.ts"
import * as IsolatedName from "../pages/IsolatedName.ts"
import * as ErrorPage from "../pages/ErrorPage.ts"
import * as SignInPage from "../pages/SignInPage.ts"
import type { Messages } from "../pages/Messages.ts"

/** Where the authorize page is. */
export const path = "/openapi/v2/authorize"

/** The canonical path and query of an authorization request. */
export const address = (parameters: URLSearchParams): string =>
  `${path}?${new URLSearchParams(authorizationParameters(parameters))}`

/** `parameters` are those of the authorization request. */
export interface Form extends Layout.Form {
  readonly parameters: URLSearchParams
}

export const signIn = (
  form: Form,
  { authorization, ...page }: SignInPage.SignInPrompt & { readonly authorization: AuthorizationRequest }
): HttpServerResponse.HttpServerResponse =>
  SignInPage.respond({ messages: form.messages, action: form.action, hiddenInputs: hiddenInputs(form) }, page, {
    applicationName: authorization.application.name,
    redirectHost: new URL(authorization.redirectUri).host,
    formRedirectUrls: formRedirectUrls(authorization)
  })

export const consent = (
  form: Form,
  page: {
    readonly authorization: AuthorizationRequest
    readonly account: Account
    /** Whether the person may deselect scopes (contract decision 33). */
    readonly mayLeaveOutScopes: boolean
    readonly connectedAppsUrl: string
  }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages: form.messages,
    title: form.messages.consent.title(IsolatedName.plain(page.authorization.application.name)),
    formRedirectUrls: formRedirectUrls(page.authorization),
    body: ConsentPage.body({
      messages: form.messages,
      action: form.action,
      hiddenInputs: hiddenInputs(form),
      applicationName: page.authorization.application.name,
      redirectHost: new URL(page.authorization.redirectUri).host,
      nickname: page.account.nickname,
      scopes: page.authorization.scopes,
      mayLeaveOutScopes: page.mayLeaveOutScopes,
      connectedAppsUrl: page.connectedAppsUrl
    })
  })

/**
 * For a request with an invalid client_id or redirect_uri: shows the error without a redirect (contract decision 36).
 */
export const untrustedRequest = (
  refusal: InvalidRequest | InvalidClient,
  messages: Messages
): HttpServerResponse.HttpServerResponse => {
  const reason = messages.invalidLink(refusal.description)
  return Layout.respond({ messages, title: reason.title, status: reason.status, body: ErrorPage.body(reason) })
}

// All redirect URIs, because an application may redirect people on to another of its registered origins.
const formRedirectUrls = ({ application, redirectUri }: AuthorizationRequest): ReadonlyArray<string> => [
  redirectUri,
  ...application.redirectUris
]

const authorizationParameters = (parameters: URLSearchParams): Array<[string, string]> =>
  parameterNames.flatMap((name): Array<[string, string]> => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })

const hiddenInputs = ({ csrfToken, parameters }: Form): ReadonlyArray<Html> =>
  [...authorizationParameters(parameters), ["form_token", csrfToken] as const].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`
  )
