import type { SignInHint } from "../../ServerConfig.ts"
import { html, type Html } from "./Html.ts"

/** Asks who the person is. `problem` tells why a first try did not do. */
export const body = (page: {
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly applicationName: string
  readonly hint: SignInHint | undefined
  readonly name: string | undefined
  readonly problem: string | undefined
}): Html =>
  html` <h1>Sign in</h1>
    <p class="soft">to continue to <strong>${page.applicationName}</strong></p>
    ${page.problem === undefined ? undefined : html`<p class="alarm" role="alert">${page.problem}</p>`}
    ${
      page.hint === undefined
        ? undefined
        : html`<p class="note">This is the local demo account of this machine; it is filled in for you.</p>`
    }
    <form method="post" action="${page.action}">
      ${page.hidden}
      <label for="name">Account name</label>
      <input
        id="name"
        name="name"
        type="text"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        required
        maxlength="64"
        value="${page.name ?? page.hint?.name ?? ""}"
        ${autofocus(page.hint === undefined)}
      />
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="512"
        value="${page.hint?.password ?? ""}"
      />
      <div class="actions">
        <button class="primary" name="step" value="sign_in" ${autofocus(page.hint !== undefined)}>Sign in</button>
      </div>
    </form>`

const autofocus = (wanted: boolean): Html | undefined => (wanted ? html` autofocus` : undefined)
