import type { Scope } from "@heddle/core/domain/Scope"
import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import * as SignedInUser from "./SignedInUser.ts"
import * as ScopeText from "./ScopeText.ts"
import type { Messages } from "./Messages.ts"

/**
 * Asks whether an application may act for the person. No button is focused: saying yes takes a decision. With `choose`
 * the person may leave out scopes.
 */
export const body = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly applicationName: string
  readonly redirectHost: string
  readonly nickname: string
  readonly scopes: ReadonlySet<Scope>
  readonly choose: boolean
  readonly connectedApps: string
}): Html =>
  html` <h1>${page.messages.consent.question(IsolatedName.of(page.applicationName))}</h1>
    ${SignedInUser.body(page, page.messages)}
    <form method="post" action="${page.action}">
      ${page.hidden} ${page.choose ? choices(page) : list(page)}
      <p class="soft">${page.messages.consent.goesBack(page.redirectHost)}</p>
      ${decision(page)}
    </form>`

interface RequestedScopes {
  readonly messages: Messages
  readonly scopes: ReadonlySet<Scope>
}

/** The scopes that are asked for. */
export const list = ({ scopes, messages }: RequestedScopes): Html =>
  html`<p class="soft" id="scopes">${messages.consent.able}</p>
    <ul aria-labelledby="scopes">
      ${ScopeText.sorted(scopes).map((scope) => html`<li>${ScopeText.of(scope, messages)}</li>`)}
    </ul>`

/** The buttons that decide, and where the decision can be taken back. */
export const decision = ({
  connectedApps,
  messages
}: {
  readonly connectedApps: string
  readonly messages: Messages
}): Html =>
  html`<p class="soft">${messages.consent.anyTime(connectedApps)}</p>
    <div class="actions">
      <button name="step" value="cancel">${messages.consent.cancel}</button>
      <button class="primary" name="step" value="allow">${messages.consent.allow}</button>
    </div>`

// The Enter key in a box presses the first button. This one asks a dialog to close, of which there is none.
const choices = ({ scopes, messages }: RequestedScopes): Html =>
  html`<button formmethod="dialog" hidden></button>
    <input type="hidden" name="choose" value="1" />
    <fieldset>
      <legend class="soft">${messages.consent.choose}</legend>
      <ul class="choice">
        ${ScopeText.sorted(scopes).map(
          (scope) =>
            html`<li>
              <label
                ><input type="checkbox" name="grant" value="${scope}" checked /> ${ScopeText.of(scope, messages)}</label
              >
            </li>`
        )}
      </ul>
    </fieldset>`
