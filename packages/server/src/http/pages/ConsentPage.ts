import type { Scope } from "@heddle/core/domain/Scope"
import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import * as SignedInUser from "./SignedInUser.ts"
import * as ScopeText from "./ScopeText.ts"
import type { Messages } from "./Messages.ts"

/**
 * Asks whether an application may act for the person. No button has the focus, so that the Enter key allows nothing.
 */
export const body = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hiddenInputs: ReadonlyArray<Html>
  readonly applicationName: string
  readonly redirectHost: string
  readonly nickname: string
  readonly scopes: ReadonlySet<Scope>
  readonly mayLeaveOutScopes: boolean
  readonly connectedAppsUrl: string
}): Html =>
  html` <h1>${page.messages.consent.question(IsolatedName.of(page.applicationName))}</h1>
    ${SignedInUser.body(page, page.messages)}
    <form method="post" action="${page.action}">
      ${page.hiddenInputs} ${page.mayLeaveOutScopes ? scopeCheckboxes(page) : scopeList(page)}
      <p class="soft">${page.messages.consent.returnsTo(page.redirectHost)}</p>
      ${decisionButtons(page)}
    </form>`

interface RequestedScopes {
  readonly messages: Messages
  readonly scopes: ReadonlySet<Scope>
}

/** The requested scopes as a list. */
export const scopeList = ({ scopes, messages }: RequestedScopes): Html =>
  html`<p class="soft" id="scopes">${messages.consent.permissionsIntro}</p>
    <ul aria-labelledby="scopes">
      ${ScopeText.sort(scopes).map((scope) => html`<li>${ScopeText.of(scope, messages)}</li>`)}
    </ul>`

/** The buttons of the decision, and where the person can revoke it. */
export const decisionButtons = ({
  connectedAppsUrl,
  messages
}: {
  readonly connectedAppsUrl: string
  readonly messages: Messages
}): Html =>
  html`<p class="soft">${messages.consent.endAtAnyTime(connectedAppsUrl)}</p>
    <div class="actions">
      <button name="step" value="cancel">${messages.consent.cancel}</button>
      <button class="primary" name="step" value="allow">${messages.consent.allow}</button>
    </div>`

// The Enter key in a checkbox presses the first button. This one has no effect, because there is no dialog to close.
const scopeCheckboxes = ({ scopes, messages }: RequestedScopes): Html =>
  html`<button formmethod="dialog" hidden></button>
    <input type="hidden" name="choose" value="1" />
    <fieldset>
      <legend class="soft">${messages.consent.choicesIntro}</legend>
      <ul class="choice">
        ${ScopeText.sort(scopes).map(
          (scope) =>
            html`<li>
              <label
                ><input type="checkbox" name="grant" value="${scope}" checked /> ${ScopeText.of(scope, messages)}</label
              >
            </li>`
        )}
      </ul>
    </fieldset>`
