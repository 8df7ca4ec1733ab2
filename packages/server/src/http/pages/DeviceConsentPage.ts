import type { Scope } from "@heddle/core/domain/Scope"
import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import * as SignedInUser from "./SignedInUser.ts"
import * as ScopeText from "./ScopeText.ts"
import type { Messages } from "./Messages.ts"

/**
 * Asks whether a device may act for the person. It shows the code, because whoever sends a link with a code in it may
 * hold the device that the code belongs to (RFC 8628 5.4). No button is focused: saying yes takes a decision.
 */
export const body = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly applicationName: string
  readonly nickname: string
  readonly userCode: string
  readonly scopes: ReadonlySet<Scope>
  readonly connectedApps: string
}): Html =>
  html` <h1>${page.messages.device.question(IsolatedName.of(page.applicationName))}</h1>
    ${SignedInUser.body(page, page.messages)}
    <p class="note">${page.messages.device.careful(html`<strong class="code">${page.userCode}</strong>`)}</p>
    <p class="soft" id="scopes">${page.messages.consent.able}</p>
    <ul aria-labelledby="scopes">
      ${ScopeText.sorted(page.scopes).map((scope) => html`<li>${ScopeText.of(scope, page.messages)}</li>`)}
    </ul>
    <form method="post" action="${page.action}">
      ${page.hidden}
      <p class="soft">${page.messages.consent.anyTime(page.connectedApps)}</p>
      <div class="actions">
        <button name="step" value="cancel">${page.messages.consent.cancel}</button>
        <button class="primary" name="step" value="allow">${page.messages.consent.allow}</button>
      </div>
    </form>`
