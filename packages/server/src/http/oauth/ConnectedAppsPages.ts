import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Account } from "../../accounts/Accounts.ts"
import type { ConnectedApp } from "../../oauth/ConnectedApps.ts"
import * as ConnectedAppsPage from "../pages/ConnectedAppsPage.ts"
import { html, type Html } from "../pages/Html.ts"
import * as Layout from "../pages/Layout.ts"
import * as IsolatedName from "../pages/IsolatedName.ts"
import * as SignInPage from "../pages/SignInPage.ts"

/** The path of the connected apps. */
export const path = "/connected-apps"

/** `app` is the application that the page is about. */
export interface Form extends Layout.Form {
  readonly app: string | undefined
}

export const signIn = (form: Form, page: SignInPage.SignInPrompt): HttpServerResponse.HttpServerResponse =>
  SignInPage.respond({ messages: form.messages, action: form.action, hiddenInputs: hiddenInputs(form) }, page, {
    applicationName: undefined
  })

export const list = (
  form: Form,
  page: {
    readonly account: Account
    readonly apps: ReadonlyArray<ConnectedApp>
    /** The name of the application that the person has just disconnected. */
    readonly disconnected: string | undefined
  }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages: form.messages,
    title: form.messages.apps.title,
    body: ConnectedAppsPage.body({
      messages: form.messages,
      action: form.action,
      hiddenInputs: hiddenInputs(form),
      nickname: page.account.nickname,
      apps: page.apps,
      notice:
        page.disconnected === undefined
          ? undefined
          : form.messages.apps.disconnected(IsolatedName.of(page.disconnected)),
      disconnectUrl: (clientId) => address(form.action, { app: clientId })
    })
  })

export const confirmDisconnect = (form: Form, app: ConnectedApp): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages: form.messages,
    title: form.messages.apps.confirmTitle(IsolatedName.plain(app.name)),
    body: ConnectedAppsPage.confirmDisconnect({
      messages: form.messages,
      action: form.action,
      hiddenInputs: hiddenInputs(form),
      app,
      listUrl: form.action
    })
  })

/** A URL of these pages with parameters. */
export const address = (action: string, parameters: Readonly<Record<string, string>>): string =>
  `${action}?${new URLSearchParams(parameters)}`

const hiddenInputs = (form: Form): ReadonlyArray<Html> => [
  html`<input type="hidden" name="form_token" value="${form.csrfToken}" />`,
  ...(form.app === undefined ? [] : [html`<input type="hidden" name="app" value="${form.app}" />`])
]
