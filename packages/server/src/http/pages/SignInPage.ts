import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { SignInHint } from "../../config/ServerConfig.ts"
import { html, type Html } from "./Html.ts"
import * as Layout from "./Layout.ts"
import * as IsolatedName from "./IsolatedName.ts"
import type { Messages } from "./Messages.ts"

/** The state of a sign-in form: `problem` says why the last try failed, `notice` why the person is here. */
export interface SignInPrompt {
  readonly hint: SignInHint | undefined
  readonly name?: string
  readonly problem?: string
  readonly notice?: string
  readonly status?: number
}

/** The target of the sign-in: an application, or the person's own account. */
interface SignInTarget {
  readonly applicationName: string | undefined
  /** The host of the redirect URI; with one the page has a button that cancels. */
  readonly redirectHost?: string
}

/** The sign-in page as a response. */
export const respond = (
  {
    action,
    hiddenInputs,
    messages
  }: { readonly messages: Messages; readonly action: string; readonly hiddenInputs: ReadonlyArray<Html> },
  prompt: SignInPrompt,
  { formRedirectUrls, ...target }: SignInTarget & { readonly formRedirectUrls?: ReadonlyArray<string> }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages,
    title: prompt.problem === undefined ? messages.signIn.title : messages.signIn.retryTitle,
    status: prompt.status ?? 200,
    ...(formRedirectUrls === undefined ? {} : { formRedirectUrls }),
    body: body({ messages, action, hiddenInputs, ...prompt, ...target })
  })

const body = (
  page: SignInPrompt &
    SignInTarget & { readonly messages: Messages; readonly action: string; readonly hiddenInputs: ReadonlyArray<Html> }
): Html => {
  const name = page.name ?? page.hint?.name ?? ""
  const messages = page.messages.signIn
  return html` <h1>${messages.title}</h1>
    <p class="soft">
      ${
        page.applicationName === undefined
          ? messages.connectedAppsPurpose
          : messages.applicationPurpose(IsolatedName.of(page.applicationName), page.redirectHost)
      }
    </p>
    ${page.notice === undefined ? undefined : html`<p class="note" role="status">${page.notice}</p>`}
    ${page.problem === undefined ? undefined : html`<p class="alarm" role="alert" id="problem">${page.problem}</p>`}
    ${page.hint === undefined ? undefined : html`<p class="note">${messages.demoAccount}</p>`}
    <form method="post" action="${page.action}">
      ${page.hiddenInputs}
      <label for="name">${messages.nameLabel}</label>
      <input
        id="name"
        name="name"
        type="text"
        dir="auto"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        required
        maxlength="64"
        value="${name}"
        ${invalidAttributes(page.problem)}
        ${autofocusAttribute(name === "")}
      />
      <label for="password">${messages.passwordLabel}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="512"
        value="${page.hint?.password ?? ""}"
        ${invalidAttributes(page.problem)}
        ${autofocusAttribute(name !== "" && page.hint === undefined)}
      />
      <div class="actions">
        <button class="primary" name="step" value="sign_in" ${autofocusAttribute(page.hint !== undefined)}>
          ${messages.submit}
        </button>
      </div>
      ${
        page.redirectHost !== undefined
          ? html`<p class="below">
              <button class="link" name="step" value="cancel" formnovalidate>${messages.cancel}</button>
            </p>`
          : undefined
      }
    </form>`
}

const autofocusAttribute = (isFocused: boolean): Html | undefined => (isFocused ? html` autofocus` : undefined)

const invalidAttributes = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`
