import type { Scope } from "@heddle/core/domain/Scope"
import { html, type Html } from "./Html.ts"
import * as Name from "./Name.ts"
import * as Person from "./Person.ts"
import * as ScopeText from "./ScopeText.ts"

/**
 * Asks whether an application may act for the person. No button is focused: saying yes takes a decision. With `choose`
 * the person may leave out scopes.
 */
export const body = (page: {
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly applicationName: string
  readonly redirectHost: string
  readonly nickname: string
  readonly scopes: ReadonlySet<Scope>
  readonly choose: boolean
  readonly connectedApps: string
}): Html =>
  html` <h1>Allow ${Name.of(page.applicationName)} to use your account?</h1>
    ${Person.body(page)}
    <form method="post" action="${page.action}">
      ${page.hidden} ${page.choose ? choices(page.scopes) : list(page.scopes)}
      <p class="soft">
        Whatever you choose, you go back to <strong>${page.redirectHost}</strong>. If you do not know it, or did not
        come from there, choose Cancel.
      </p>
      <p class="soft">You can end this at any time in your <a href="${page.connectedApps}">connected apps</a>.</p>
      <div class="actions">
        <button name="step" value="cancel">Cancel</button>
        <button class="primary" name="step" value="allow">Allow</button>
      </div>
    </form>`

const list = (scopes: ReadonlySet<Scope>): Html =>
  html`<p class="soft" id="scopes">It will be able to:</p>
    <ul aria-labelledby="scopes">
      ${ScopeText.sorted(scopes).map((scope) => html`<li>${ScopeText.of(scope)}</li>`)}
    </ul>`

// The Enter key in a box presses the first button. This one asks a dialog to close, of which there is none.
const choices = (scopes: ReadonlySet<Scope>): Html =>
  html`<button formmethod="dialog" hidden></button>
    <input type="hidden" name="choose" value="1" />
    <fieldset>
      <legend class="soft">It asks to do the following. Untick what you do not want to allow:</legend>
      <ul class="choice">
        ${ScopeText.sorted(scopes).map(
          (scope) =>
            html`<li>
              <label><input type="checkbox" name="grant" value="${scope}" checked /> ${ScopeText.of(scope)}</label>
            </li>`
        )}
      </ul>
    </fieldset>`
