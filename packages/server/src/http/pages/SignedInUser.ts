import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import type { Messages } from "./Messages.ts"

/**
 * Says who is signed in, with a way to be somebody else. It is a form of its own: the Enter key presses the first button
 * of a form, and must not sign anybody out.
 */
export const body = (
  page: {
    readonly action: string
    readonly hidden: ReadonlyArray<Html>
    readonly nickname: string
    readonly label?: string
  },
  messages: Messages
): Html =>
  html`<form class="person" method="post" action="${page.action}">
    ${page.hidden}
    <p>${messages.signedInAs(IsolatedName.of(page.nickname))}</p>
    <button class="link" name="step" value="sign_out">${page.label ?? messages.otherAccount}</button>
  </form>`
