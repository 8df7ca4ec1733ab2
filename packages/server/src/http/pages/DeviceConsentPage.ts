import type { Scope } from "@heddle/core/domain/Scope"
import * as ConsentPage from "./ConsentPage.ts"
import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import * as SignedInUser from "./SignedInUser.ts"
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
    ${ConsentPage.list(page)}
    <form method="post" action="${page.action}">${page.hidden} ${ConsentPage.decision(page)}</form>`
