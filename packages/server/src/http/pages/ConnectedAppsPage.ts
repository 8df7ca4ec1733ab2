import type { ConnectedApp } from "../../oauth/ConnectedApps.ts"
import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import * as SignedInUser from "./SignedInUser.ts"
import * as ScopeText from "./ScopeText.ts"
import type { Messages } from "./Messages.ts"

/** Lists what may use the person's account. `notice` tells what has just happened. */
export const body = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly nickname: string
  readonly apps: ReadonlyArray<ConnectedApp>
  readonly notice: Html | undefined
  /** The address of the page that asks whether to disconnect an application. */
  readonly disconnect: (clientId: string) => string
}): Html =>
  html` <h1>${page.messages.apps.title}</h1>
    ${page.notice === undefined ? undefined : html`<p class="note" role="status">${page.notice}</p>`}
    ${SignedInUser.body({ ...page, label: page.messages.signOut }, page.messages)}
    ${
      page.apps.length === 0
        ? html`<p>${page.messages.apps.none}</p>
            <p class="soft">${page.messages.apps.whenAllowed}</p>`
        : html`<p class="soft">${page.messages.apps.these}</p>
            <div class="apps">
              ${page.apps.map((app) => section(app, page.disconnect(app.clientId), page.messages))}
            </div>`
    }`

/** Asks before an application is disconnected. */
export const confirm = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly app: ConnectedApp
  readonly back: string
}): Html =>
  html` <h1>${page.messages.apps.ask(IsolatedName.of(page.app.name))}</h1>
    <p>${page.messages.apps.nothingMore}</p>
    <p class="soft">${page.messages.apps.stay}</p>
    <form method="post" action="${page.action}">
      ${page.hidden}
      <div class="actions">
        <a class="button" href="${page.back}">${page.messages.apps.keep}</a>
        <button class="danger" name="step" value="disconnect">${page.messages.apps.disconnect}</button>
      </div>
    </form>`

const section = (app: ConnectedApp, disconnect: string, messages: Messages): Html =>
  html`<section aria-labelledby="${app.clientId}">
    <h2 id="${app.clientId}">${IsolatedName.of(app.name)}</h2>
    ${app.active ? undefined : html`<p class="soft">${messages.apps.outOfService}</p>`}
    <ul>
      ${ScopeText.sorted(app.scopes).map((scope) => html`<li>${ScopeText.of(scope, messages)}</li>`)}
    </ul>
    <dl>${row(messages.apps.since, app.since, messages)} ${row(messages.apps.lastUsed, app.lastUsed, messages)}</dl>
    <a class="button" href="${disconnect}"
      >${messages.apps.disconnect} <span class="hidden">${IsolatedName.of(app.name)}</span></a
    >
  </section>`

const row = (label: string, time: number | undefined, { dates }: Messages): Html | undefined =>
  time === undefined
    ? undefined
    : html`<dt>${label}</dt>
        <dd><time datetime="${new Date(time).toISOString()}">${day(dates).format(time)}</time></dd>`

// Without a script the time zone is unknown, so only the day is shown.
const day = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" })
