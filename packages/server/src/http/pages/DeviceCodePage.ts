import { html, type Html } from "./Html.ts"
import * as SignedInUser from "./SignedInUser.ts"
import type { Messages } from "./Messages.ts"

/** Asks for the code that a device shows. `problem` says why the previous code was rejected. */
export const body = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hiddenInputs: ReadonlyArray<Html>
  readonly nickname: string
  readonly userCode: string | undefined
  readonly problem: string | undefined
}): Html =>
  html` <h1>${page.messages.device.title}</h1>
    ${page.problem === undefined ? undefined : html`<p class="alarm" role="alert" id="problem">${page.problem}</p>`}
    ${SignedInUser.body({ action: page.action, hiddenInputs: page.hiddenInputs, nickname: page.nickname }, page.messages)}
    <form method="post" action="${page.action}">
      ${page.hiddenInputs}
      <label for="user_code">${page.messages.device.codeLabel}</label>
      <input
        id="user_code"
        name="user_code"
        type="text"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        placeholder="XXXX-XXXX"
        required
        maxlength="20"
        value="${page.userCode}"
        ${page.problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`}
        autofocus
      />
      <div class="actions">
        <button class="primary" name="step" value="check">${page.messages.device.continue}</button>
      </div>
    </form>`
