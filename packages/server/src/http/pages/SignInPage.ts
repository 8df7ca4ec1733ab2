import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { SignInHint } from "../../config/ServerConfig.ts"
import { html, type Html } from "./Html.ts"
import * as Layout from "./Layout.ts"
import * as IsolatedName from "./IsolatedName.ts"
import type { Messages } from "./Messages.ts"

/** The texts of a sign-in form: `problem` says why the last try failed, `notice` what happened before. */
export interface SignInPrompt {
  readonly hint: SignInHint | undefined
  readonly name?: string
  readonly problem?: string
  readonly notice?: string
  readonly status?: number
}

/** Where the person goes on to: an application, or without one their own account. */
interface Target {
  readonly applicationName: string | undefined
  /** Where the application takes the person afterwards; with one there is a way back without signing in. */
  readonly redirectHost?: string
}

/** The page that asks who the person is. */
export const respond = (
  {
    action,
    hidden,
    messages
  }: { readonly messages: Messages; readonly action: string; readonly hidden: ReadonlyArray<Html> },
  asked: SignInPrompt,
  { formTargets, ...target }: Target & { readonly formTargets?: ReadonlyArray<string> }
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages,
    title: asked.problem === undefined ? messages.signIn.title : messages.signIn.again,
    status: asked.status ?? 200,
    ...(formTargets === undefined ? {} : { formTargets }),
    body: body({ messages, action, hidden, ...asked, ...target })
  })

const body = (
  page: SignInPrompt &
    Target & { readonly messages: Messages; readonly action: string; readonly hidden: ReadonlyArray<Html> }
): Html => {
  const name = page.name ?? page.hint?.name ?? ""
  const messages = page.messages.signIn
  return html` <h1>${messages.title}</h1>
    <p class="soft">
      ${
        page.applicationName === undefined
          ? messages.toSeeApps
          : messages.toContinue(IsolatedName.of(page.applicationName), page.redirectHost)
      }
    </p>
    ${page.notice === undefined ? undefined : html`<p class="note" role="status">${page.notice}</p>`}
    ${page.problem === undefined ? undefined : html`<p class="alarm" role="alert" id="problem">${page.problem}</p>`}
    ${page.hint === undefined ? undefined : html`<p class="note">${messages.demo}</p>`}
    <form method="post" action="${page.action}">
      ${page.hidden}
      <label for="name">${messages.name}</label>
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
        ${invalid(page.problem)}
        ${autofocus(name === "")}
      />
      <label for="password">${messages.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="512"
        value="${page.hint?.password ?? ""}"
        ${invalid(page.problem)}
        ${autofocus(name !== "" && page.hint === undefined)}
      />
      <div class="actions">
        <button class="primary" name="step" value="sign_in" ${autofocus(page.hint !== undefined)}>
          ${messages.button}
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

const autofocus = (wanted: boolean): Html | undefined => (wanted ? html` autofocus` : undefined)

const invalid = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`
