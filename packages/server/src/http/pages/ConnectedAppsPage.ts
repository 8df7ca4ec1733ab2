import type { ConnectedApp } from "../../oauth/ConnectedApps.ts"
import { html, type Html } from "./Html.ts"
import * as IsolatedName from "./IsolatedName.ts"
import * as SignedInUser from "./SignedInUser.ts"
import * as ScopeText from "./ScopeText.ts"
import type { Messages } from "./Messages.ts"

/** Lists the applications that may use the person's account. `notice` reports the last action. */
export const body = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hiddenInputs: ReadonlyArray<Html>
  readonly nickname: string
  readonly apps: ReadonlyArray<ConnectedApp>
  readonly notice: Html | undefined
  /** The URL of the confirmation to disconnect an application. */
  readonly disconnectUrl: (clientId: string) => string
}): Html =>
  html` <h1>${page.messages.apps.title}</h1>
    ${page.notice === undefined ? undefined : html`<p class="note" role="status">${page.notice}</p>`}
    ${SignedInUser.body({ ...page, buttonLabel: page.messages.signOut }, page.messages)}
    ${
      page.apps.length === 0
        ? html`<p>${page.messages.apps.noApps}</p>
            <p class="soft">${page.messages.apps.noAppsHint}</p>`
        : html`<p class="soft">${page.messages.apps.intro}</p>
            <div class="apps">
              ${page.apps.map((app) => section(app, page.disconnectUrl(app.clientId), page.messages))}
            </div>`
    }`

/** Asks before an application is disconnected. */
export const confirmDisconnect = (page: {
  readonly messages: Messages
  readonly action: string
  readonly hiddenInputs: ReadonlyArray<Html>
  readonly app: ConnectedApp
  readonly listUrl: string
}): Html =>
  html` <h1>${page.messages.apps.confirmHeading(IsolatedName.of(page.app.name))}</h1>
    <p>${page.messages.apps.accessEnds}</p>
    <p class="soft">${page.messages.apps.whatRemains}</p>
    <form method="post" action="${page.action}">
      ${page.hiddenInputs}
      <div class="actions">
        <a class="button" href="${page.listUrl}">${page.messages.apps.cancel}</a>
        <button class="danger" name="step" value="disconnect">${page.messages.apps.disconnect}</button>
      </div>
    </form>`

const section = (app: ConnectedApp, disconnectUrl: string, messages: Messages): Html =>
  html`<section aria-labelledby="${app.clientId}">
    <h2 id="${app.clientId}">${IsolatedName.of(app.name)}</h2>
    ${app.active ? undefined : html`<p class="soft">${messages.apps.outOfService}</p>`}
    <ul>
      ${ScopeText.sort(app.scopes).map((scope) => html`<li>${ScopeText.of(scope, messages)}</li>`)}
    </ul>
    <dl>
      ${dateRow(messages.apps.connectedSince, app.since, messages)}
      ${dateRow(messages.apps.lastUsed, app.lastUsed, messages)}
    </dl>
    <a class="button" href="${disconnectUrl}"
      >${messages.apps.disconnect} <span class="hidden">${IsolatedName.of(app.name)}</span></a
    >
  </section>`

const dateRow = (label: string, time: number | undefined, { dates }: Messages): Html | undefined =>
  time === undefined
    ? undefined
    : html`<dt>${label}</dt>
        <dd><time datetime="${new Date(time).toISOString()}">${dayFormat(dates).format(time)}</time></dd>`

// Without a script the time zone is unknown, so the page shows only the day.
const dayFormat = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" })
