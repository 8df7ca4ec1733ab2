import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import type { Messages } from "./Messages.ts"

/**
 * Says who is signed in, with a button to sign out. It is a separate form, because the Enter key presses the first
 * button of a form and must not sign the person out.
 */
export const body = (
  page: {
    readonly action: string
    readonly hiddenInputs: ReadonlyArray<Html>
    readonly nickname: string
    readonly buttonLabel?: string
  },
  messages: Messages
): Html =>
  html`<form class="person" method="post" action="${page.action}">
    ${page.hiddenInputs}
    <p>${messages.signedInAs(IsolatedName.of(page.nickname))}</p>
    <button class="link" name="step" value="sign_out">${page.buttonLabel ?? messages.otherAccount}</button>
  </form>`
