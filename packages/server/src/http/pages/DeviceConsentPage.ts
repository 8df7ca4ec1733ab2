import type { Scope } from "@heddle/core/domain/Scope"
import * as ConsentPage from "./ConsentPage.ts"
import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import * as SignedInUser from "./SignedInUser.ts"
import type { Messages } from "./Messages.ts"

/**
 * Asks whether a device may act for the person. It shows the code, because an attacker may send a link with the code of
 * the attacker's own device (RFC 8628 5.4). No button has the focus, so that the Enter key allows nothing.
 */
export const body = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hiddenInputs: ReadonlyArray<Html>
  readonly applicationName: string
  readonly nickname: string
  readonly userCode: string
  readonly scopes: ReadonlySet<Scope>
  readonly connectedAppsUrl: string
}): Html =>
  html` <h1>${page.messages.device.question(IsolatedName.of(page.applicationName))}</h1>
    ${SignedInUser.body(page, page.messages)}
    <p class="note">${page.messages.device.codeWarning(html`<strong class="code">${page.userCode}</strong>`)}</p>
    ${ConsentPage.scopeList(page)}
    <form method="post" action="${page.action}">${page.hiddenInputs} ${ConsentPage.decisionButtons(page)}</form>`
