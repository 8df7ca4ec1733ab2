import { html, type Html } from "./Html.ts"

/**
 * Asks for the code that a device shows. `problem` tells why a first one did not do. Two forms, because the Enter key
 * presses the first button of a form.
 */
export const body = (page: {
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly nickname: string
  readonly userCode: string | undefined
  readonly problem: string | undefined
}): Html =>
  html` <h1>Connect a device</h1>
    ${page.problem === undefined ? undefined : html`<p class="alarm" role="alert">${page.problem}</p>`}
    <form method="post" action="${page.action}">
      ${page.hidden}
      <p class="soft">
        Signed in as <strong>${page.nickname}</strong>.
        <button class="link" name="step" value="sign_out">Use another account</button>
      </p>
    </form>
    <form method="post" action="${page.action}">
      ${page.hidden}
      <label for="user_code">The code on your device</label>
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
        autofocus
      />
      <div class="actions">
        <button class="primary" name="step" value="check">Continue</button>
      </div>
    </form>`
