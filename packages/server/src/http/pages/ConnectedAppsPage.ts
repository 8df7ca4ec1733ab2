import type { ConnectedApp } from "../../oauth/ConnectedApps.ts"
import { html, type Html } from "./Html.ts"
import * as Name from "./IsolatedName.ts"
import * as Person from "./SignedInUser.ts"
import * as ScopeText from "./ScopeText.ts"
import type { Words } from "./Messages.ts"

/** Lists what may use the person's account. `notice` tells what has just happened. */
export const body = (page: {
  readonly words: Words
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly nickname: string
  readonly apps: ReadonlyArray<ConnectedApp>
  readonly notice: Html | undefined
  /** The address of the page that asks whether to disconnect an application. */
  readonly disconnect: (clientId: string) => string
}): Html =>
  html` <h1>${page.words.apps.title}</h1>
    ${page.notice === undefined ? undefined : html`<p class="note" role="status">${page.notice}</p>`}
    ${Person.body({ ...page, label: page.words.signOut }, page.words)}
    ${
      page.apps.length === 0
        ? html`<p>${page.words.apps.none}</p>
            <p class="soft">${page.words.apps.whenAllowed}</p>`
        : html`<p class="soft">${page.words.apps.these}</p>
            <div class="apps">${page.apps.map((app) => section(app, page.disconnect(app.clientId), page.words))}</div>`
    }`

/** Asks before an application is disconnected. */
export const confirm = (page: {
  readonly words: Words
  readonly action: string
  readonly hidden: ReadonlyArray<Html>
  readonly app: ConnectedApp
  readonly back: string
}): Html =>
  html` <h1>${page.words.apps.ask(Name.of(page.app.name))}</h1>
    <p>${page.words.apps.nothingMore}</p>
    <p class="soft">${page.words.apps.stay}</p>
    <form method="post" action="${page.action}">
      ${page.hidden}
      <div class="actions">
        <a class="button" href="${page.back}">${page.words.apps.keep}</a>
        <button class="danger" name="step" value="disconnect">${page.words.apps.disconnect}</button>
      </div>
    </form>`

const section = (app: ConnectedApp, disconnect: string, words: Words): Html =>
  html`<section aria-labelledby="${app.clientId}">
    <h2 id="${app.clientId}">${Name.of(app.name)}</h2>
    ${app.active ? undefined : html`<p class="soft">${words.apps.outOfService}</p>`}
    <ul>
      ${ScopeText.sorted(app.scopes).map((scope) => html`<li>${ScopeText.of(scope, words)}</li>`)}
    </ul>
    <dl>${row(words.apps.since, app.since, words)} ${row(words.apps.lastUsed, app.lastUsed, words)}</dl>
    <a class="button" href="${disconnect}">${words.apps.disconnect} <span class="hidden">${Name.of(app.name)}</span></a>
  </section>`

const row = (label: string, time: number | undefined, { dates }: Words): Html | undefined =>
  time === undefined
    ? undefined
    : html`<dt>${label}</dt>
        <dd><time datetime="${new Date(time).toISOString()}">${day(dates).format(time)}</time></dd>`

// Without a script nobody knows the person's time zone; a day is as exact as this needs to be.
const day = (locale: string) => new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" })
