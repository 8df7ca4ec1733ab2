import type { Scope } from "@heddle/core/domain/Scope"
import { html, type Html } from "./Html.ts"
import * as ScopeText from "./ScopeText.ts"

/** Asks whether an application may act for the person. No button is focused: saying yes takes a decision. */
export const body = (page: {
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly applicationName: string
  readonly redirectHost: string
  readonly nickname: string
  readonly scopes: ReadonlySet<Scope>
}): Html =>
  html` <h1>Allow ${page.applicationName} to use your account?</h1>
    <p class="soft">It will be able to:</p>
    <ul>
      ${[...page.scopes].sort().map((scope) => html`<li>${ScopeText.of(scope)}</li>`)}
    </ul>
    <form method="post" action="${page.action}">
      ${page.hidden}
      <p class="soft">
        Signed in as <strong>${page.nickname}</strong>.
        <button class="link" name="step" value="sign_out">Use another account</button>
      </p>
      <p class="soft">Either way you go back to ${page.redirectHost}.</p>
      <div class="actions">
        <button name="step" value="cancel">Cancel</button>
        <button class="primary" name="step" value="allow">Allow</button>
      </div>
    </form>`
