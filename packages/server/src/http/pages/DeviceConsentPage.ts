import type { Scope } from "@heddle/core/domain/Scope"
import { html, type Html } from "./Html.ts"
import * as Name from "./Name.ts"
import * as Person from "./Person.ts"
import * as ScopeText from "./ScopeText.ts"

/**
 * Asks whether a device may act for the person. It shows the code, because whoever sends a link with a code in it may
 * hold the device that the code belongs to (RFC 8628 5.4). No button is focused: saying yes takes a decision.
 */
export const body = (page: {
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly applicationName: string
  readonly nickname: string
  readonly userCode: string
  readonly scopes: ReadonlySet<Scope>
  readonly connectedApps: string
}): Html =>
  html` <h1>Allow ${Name.of(page.applicationName)} on a device to use your account?</h1>
    ${Person.body(page)}
    <p class="note">
      Go on only if a device in front of you shows the code <strong class="code">${page.userCode}</strong>. If somebody
      sent you here, choose Cancel.
    </p>
    <p class="soft" id="scopes">It will be able to:</p>
    <ul aria-labelledby="scopes">
      ${ScopeText.sorted(page.scopes).map((scope) => html`<li>${ScopeText.of(scope)}</li>`)}
    </ul>
    <form method="post" action="${page.action}">
      ${page.hidden}
      <p class="soft">You can end this at any time in your <a href="${page.connectedApps}">connected apps</a>.</p>
      <div class="actions">
        <button name="step" value="cancel">Cancel</button>
        <button class="primary" name="step" value="allow">Allow</button>
      </div>
    </form>`
