import type { ConnectedApp } from "../../ConnectedApps.ts"
import { html, type Html } from "./Html.ts"
import * as Name from "./Name.ts"
import * as Person from "./Person.ts"
import * as ScopeText from "./ScopeText.ts"

/** Lists what may use the person's account. `notice` tells what has just happened. */
export const body = (page: {
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly nickname: string
  readonly apps: ReadonlyArray<ConnectedApp>
  readonly notice: Html | undefined
  /** The address of the page that asks whether to disconnect an application. */
  readonly disconnect: (clientId: string) => string
}): Html =>
  html` <h1>Connected apps</h1>
    ${page.notice === undefined ? undefined : html`<p class="note" role="status">${page.notice}</p>`}
    ${Person.body({ ...page, label: "Sign out" })}
    ${
      page.apps.length === 0
        ? html`<p>No application can use your account.</p>
            <p class="soft">When you allow one, it stands here, and you can disconnect it again.</p>`
        : html`<p class="soft">These applications can use your account until you disconnect them.</p>
            <div class="apps">${page.apps.map((app) => section(app, page.disconnect(app.clientId)))}</div>`
    }`

/** Asks before an application is disconnected. */
export const confirm = (page: {
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly app: ConnectedApp
  readonly back: string
}): Html =>
  html` <h1>Disconnect ${Name.of(page.app.name)}?</h1>
    <p>It can do nothing with your account from then on, and what it started for you it can no longer see.</p>
    <p class="soft">Your tasks and credits stay. It has to ask you again before it can come back.</p>
    <form method="post" action="${page.action}">
      ${page.hidden}
      <div class="actions">
        <a class="button" href="${page.back}">Keep it</a>
        <button class="danger" name="step" value="disconnect">Disconnect</button>
      </div>
    </form>`

const section = (app: ConnectedApp, disconnect: string): Html =>
  html`<section aria-labelledby="${app.clientId}">
    <h2 id="${app.clientId}">${Name.of(app.name)}</h2>
    ${app.active ? undefined : html`<p class="soft">Out of service: it can do nothing at present.</p>`}
    <ul>
      ${ScopeText.sorted(app.scopes).map((scope) => html`<li>${ScopeText.of(scope)}</li>`)}
    </ul>
    <dl>${row("Connected since", app.since)} ${row("Last active", app.lastUsed)}</dl>
    <a class="button" href="${disconnect}">Disconnect <span class="hidden">${Name.of(app.name)}</span></a>
  </section>`

const row = (label: string, time: number | undefined): Html | undefined =>
  time === undefined
    ? undefined
    : html`<dt>${label}</dt>
        <dd><time datetime="${new Date(time).toISOString()}">${day.format(time)}</time></dd>`

// Without a script nobody knows the person's time zone; a day is as exact as this needs to be.
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })
