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

/** The address that asks the same again, below this service's own; also the canonical form of a request. */
export const address = (parameters: URLSearchParams): string => `${path}?${new URLSearchParams(own(parameters))}`

/** `parameters` are those of the authorization request. */
export interface Form extends Layout.Form {
  readonly parameters: URLSearchParams
}

export const signIn = (
  form: Form,
  { asked, ...page }: SignInPage.SignInPrompt & { readonly asked: AuthorizationRequest }
): HttpServerResponse.HttpServerResponse =>
  SignInPage.respond({ messages: form.messages, action: form.action, hidden: hidden(form) }, page, {
    applicationName: asked.application.name,
    redirectHost: new URL(asked.redirectUri).host,
    formTargets: formTargets(asked)
  })

export const consent = (
  form: Form,
  page: {
    readonly asked: AuthorizationRequest
    readonly account: Account
    /** Whether the person may leave out scopes (contract decision 33). */
    readonly choose: boolean
    /** The address of the connected apps. */
    readonly connectedApps: string
  }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages: form.messages,
    title: form.messages.consent.title(IsolatedName.plain(page.asked.application.name)),
    formTargets: formTargets(page.asked),
    body: ConsentPage.body({
      messages: form.messages,
      action: form.action,
      hidden: hidden(form),
      applicationName: page.asked.application.name,
      redirectHost: new URL(page.asked.redirectUri).host,
      nickname: page.account.nickname,
      scopes: page.asked.scopes,
      choose: page.choose,
      connectedApps: page.connectedApps
    })
  })

/**
 * For a request with an invalid client_id or redirect_uri: shows the error without a redirect (contract decision 36).
 */
export const untrusted = (
  refusal: InvalidRequest | InvalidClient,
  messages: Messages
): HttpServerResponse.HttpServerResponse => {
  const reason = messages.badLink(refusal.description)
  return Layout.respond({ messages, title: reason.title, status: reason.status, body: ErrorPage.body(reason) })
}

// Not the one address alone: an application that sends people on to another origin of its own can register that too.
const formTargets = ({ application, redirectUri }: AuthorizationRequest): ReadonlyArray<string> => [
  redirectUri,
  ...application.redirectUris
]

const own = (parameters: URLSearchParams): Array<[string, string]> =>
  parameterNames.flatMap((name): Array<[string, string]> => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })

const hidden = ({ csrfToken, parameters }: Form): ReadonlyArray<Html> =>
  [...own(parameters), ["form_token", csrfToken] as const].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`
  )
