import { html, type Html } from "./Html.ts"
import * as Name from "./IsolatedName.ts"
import type { Words } from "./Messages.ts"

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
  words: Words
): Html =>
  html`<form class="person" method="post" action="${page.action}">
    ${page.hidden}
    <p>${words.signedInAs(Name.of(page.nickname))}</p>
    <button class="link" name="step" value="sign_out">${page.label ?? words.otherAccount}</button>
  </form>`
