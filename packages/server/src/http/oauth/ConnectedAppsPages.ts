import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Account } from "../../accounts/Accounts.ts"
import type { ConnectedApp } from "../../oauth/ConnectedApps.ts"
import * as ConnectedAppsPage from "../pages/ConnectedAppsPage.ts"
import { html, type Html } from "../pages/Html.ts"
import * as Layout from "../pages/Layout.ts"
import * as Name from "../pages/IsolatedName.ts"
import * as ProblemPage from "../pages/ErrorPage.ts"
import * as SignInPage from "../pages/SignInPage.ts"
import type { Words } from "../pages/Messages.ts"

/** Where people see what may use their account. */
export const path = "/connected-apps"

/** What every page with a form needs. `action` is its own address as browsers see it; `app` the one it is about. */
export interface Form {
  readonly words: Words
  readonly action: string
  readonly formToken: string
  readonly app: string | undefined
}

export const signIn = (form: Form, page: SignInPage.Asked): HttpServerResponse.HttpServerResponse =>
  SignInPage.respond({ words: form.words, action: form.action, hidden: hidden(form) }, page, {
    applicationName: undefined
  })

export const list = (
  form: Form,
  page: {
    readonly account: Account
    readonly apps: ReadonlyArray<ConnectedApp>
    /** The name of an application that is not connected any more. */
    readonly disconnected: string | undefined
  }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    words: form.words,
    title: form.words.apps.title,
    body: ConnectedAppsPage.body({
      words: form.words,
      action: form.action,
      hidden: hidden(form),
      nickname: page.account.nickname,
      apps: page.apps,
      notice: page.disconnected === undefined ? undefined : form.words.apps.disconnected(Name.of(page.disconnected)),
      disconnect: (clientId) => address(form.action, { app: clientId })
    })
  })

export const confirm = (form: Form, app: ConnectedApp): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    words: form.words,
    title: form.words.apps.askTitle(Name.plain(app.name)),
    body: ConnectedAppsPage.confirm({
      words: form.words,
      action: form.action,
      hidden: hidden(form),
      app,
      back: form.action
    })
  })

/** For a form that does not do. */
export const refusedForm = (
  action: string,
  reason: ProblemPage.Reason,
  words: Words
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    words,
    title: reason.title,
    status: reason.status,
    body: ProblemPage.body({ ...reason, way: { href: action, label: words.apps.back } })
  })

/** An address of these pages with parameters. */
export const address = (action: string, parameters: Readonly<Record<string, string>>): string =>
  `${action}?${new URLSearchParams(parameters)}`

const hidden = (form: Form): ReadonlyArray<Html> => [
  html`<input type="hidden" name="form_token" value="${form.formToken}" />`,
  ...(form.app === undefined ? [] : [html`<input type="hidden" name="app" value="${form.app}" />`])
]
