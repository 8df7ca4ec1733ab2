import { html, type Html } from "./Html.ts"
import * as Person from "./SignedInUser.ts"
import type { Words } from "./Messages.ts"

/** Asks for the code that a device shows. `problem` tells why a first one did not do. */
export const body = (page: {
  readonly words: Words
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly nickname: string
  readonly userCode: string | undefined
  readonly problem: string | undefined
}): Html =>
  html` <h1>${page.words.device.title}</h1>
    ${page.problem === undefined ? undefined : html`<p class="alarm" role="alert" id="problem">${page.problem}</p>`}
    ${Person.body(page, page.words)}
    <form method="post" action="${page.action}">
      ${page.hidden}
      <label for="user_code">${page.words.device.code}</label>
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
        <button class="primary" name="step" value="check">${page.words.device.button}</button>
      </div>
    </form>`
