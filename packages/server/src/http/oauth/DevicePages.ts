import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Account } from "../../accounts/Accounts.ts"
import type { ConsentRequest } from "../../oauth/Devices.ts"
import * as DeviceCodePage from "../pages/DeviceCodePage.ts"
import * as DeviceConsentPage from "../pages/DeviceConsentPage.ts"
import { html, type Html } from "../pages/Html.ts"
import * as Layout from "../pages/Layout.ts"
import * as IsolatedName from "../pages/IsolatedName.ts"
import * as ErrorPage from "../pages/ErrorPage.ts"
import * as SignInPage from "../pages/SignInPage.ts"
import type { Messages } from "../pages/Messages.ts"

/** The path of the device verification page. */
export const path = "/device"

/** `userCode` is the code on the device. */
export interface Form extends Layout.Form {
  readonly userCode: string | undefined
}

export const signIn = (form: Form, page: SignInPage.SignInPrompt): HttpServerResponse.HttpServerResponse =>
  SignInPage.respond({ messages: form.messages, action: form.action, hiddenInputs: hiddenInputs(form) }, page, {
    applicationName: form.messages.signIn.deviceName
  })

/** Asks for the code on the device. */
export const code = (
  form: Form,
  page: { readonly account: Account; readonly problem?: string; readonly status?: number }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages: form.messages,
    title: form.messages.device.title,
    status: page.status ?? 200,
    body: DeviceCodePage.body({
      messages: form.messages,
      action: form.action,
      hiddenInputs: hiddenInputs({ ...form, userCode: undefined }),
      nickname: page.account.nickname,
      userCode: form.userCode,
      problem: page.problem
    })
  })

/** Asks whether the device may act for the person. */
export const consent = (
  form: Form,
  page: {
    readonly account: Account
    readonly consentRequest: ConsentRequest
    readonly userCode: string
    readonly connectedAppsUrl: string
  }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages: form.messages,
    title: form.messages.consent.title(IsolatedName.plain(page.consentRequest.application.name)),
    body: DeviceConsentPage.body({
      messages: form.messages,
      action: form.action,
      hiddenInputs: hiddenInputs(form),
      applicationName: page.consentRequest.application.name,
      nickname: page.account.nickname,
      userCode: page.userCode,
      scopes: page.consentRequest.scopes,
      connectedAppsUrl: page.connectedAppsUrl
    })
  })

/** Shows the result, or why the flow cannot continue. */
export const message = (
  page: {
    readonly title: string
    readonly text: string
    readonly advice: string
    readonly status?: number
  },
  messages: Messages
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({ messages, title: page.title, status: page.status ?? 200, body: ErrorPage.body(page) })

const hiddenInputs = (form: Form): ReadonlyArray<Html> => [
  html`<input type="hidden" name="form_token" value="${form.csrfToken}" />`,
  ...(form.userCode === undefined ? [] : [html`<input type="hidden" name="user_code" value="${form.userCode}" />`])
]
