import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { InvalidClient, InvalidRequest } from "@heddle/core/OpenApiError"
import type { Account } from "../Accounts.ts"
import { parameterNames, type AuthorizationRequest } from "../AuthorizationRequest.ts"
import type { SignInHint } from "../ServerConfig.ts"
import * as ConsentPage from "./pages/ConsentPage.ts"
import { html, type Html } from "./pages/Html.ts"
import * as Layout from "./pages/Layout.ts"
import * as ProblemPage from "./pages/ProblemPage.ts"
import * as SignInPage from "./pages/SignInPage.ts"

/** Where the authorize page is. */
export const path = "/openapi/v2/authorize"

/** The address that asks the same again; also the canonical form of a request. */
export const address = (parameters: URLSearchParams): string => `${path}?${new URLSearchParams(own(parameters))}`

export const signIn = (page: {
  readonly parameters: URLSearchParams
  readonly asked: AuthorizationRequest
  readonly formToken: string
  readonly hint: SignInHint | undefined
  readonly name?: string
  readonly problem?: string
  readonly status?: number
}): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    title: "Sign in",
    status: page.status ?? 200,
    formTarget: new URL(page.asked.redirectUri).origin,
    body: SignInPage.body({
      action: path,
      hidden: hidden(page.parameters, page.formToken),
      applicationName: page.asked.application.name,
      hint: page.hint,
      name: page.name,
      problem: page.problem
    })
  })

export const consent = (page: {
  readonly parameters: URLSearchParams
  readonly asked: AuthorizationRequest
  readonly account: Account
  readonly formToken: string
}): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    title: `Allow ${page.asked.application.name}?`,
    formTarget: new URL(page.asked.redirectUri).origin,
    body: ConsentPage.body({
      action: path,
      hidden: hidden(page.parameters, page.formToken),
      applicationName: page.asked.application.name,
      redirectHost: new URL(page.asked.redirectUri).host,
      nickname: page.account.nickname,
      scopes: page.asked.scopes
    })
  })

/** For a request that names no application and address that belong together: nobody is sent anywhere (decision 36). */
export const untrusted = (refusal: InvalidRequest | InvalidClient): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    title: "This link does not work",
    status: 400,
    body: ProblemPage.body({
      title: "This link does not work",
      text: refusal.description,
      advice:
        "Nothing was shared. Go back to where you came from and start again; if it stays, tell whoever runs that application."
    })
  })

/** For a form that was not shown to this browser session, or not for this request. */
export const staleForm = (parameters: URLSearchParams): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    title: "This page has expired",
    status: 400,
    body: html`${ProblemPage.body({
        title: "This page has expired",
        text: "Your browser did not send the cookie that belongs to this page, so nothing was done.",
        advice: "Allow cookies for this site, then start again."
      })}
      <p><a href="${address(parameters)}">Start again</a></p>`
  })

const own = (parameters: URLSearchParams): Array<[string, string]> =>
  parameterNames.flatMap((name): Array<[string, string]> => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value]]
  })

const hidden = (parameters: URLSearchParams, formToken: string): ReadonlyArray<Html> =>
  [...own(parameters), ["form_token", formToken] as const].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`
  )
