import { type TemplateResult, html, nothing } from "lit"
import { live } from "lit/directives/live.js"
import { avatar } from "../widgets/Avatar.ts"
import { channelIcon } from "../widgets/ChannelIcon.ts"
import { icons } from "../widgets/Icons.ts"
import type { Theme } from "../api/LocalStorage.ts"
import { onLeave } from "../widgets/Menu.ts"
import { byId } from "../model/State.ts"
import { type Channel, ChannelType, isThread } from "../model/Types.ts"
import type { View } from "../actions/View.ts"
import { displayName, nameOf } from "../model/Names.ts"

/** Shows the server, its channels and threads, and the current person. */
export const sidebar = (view: View): TemplateResult => {
  const { state } = view
  const channels = state.channels.filter((channel) => !isThread(channel)).toSorted(byPosition)
  const categories = channels.filter(({ type }) => type === ChannelType.category)
  const uncategorized = channels.filter(
    ({ parentId, type }) =>
      type !== ChannelType.category &&
      type !== ChannelType.direct &&
      !categories.some((category) => category.id === parentId)
  )
  return html`<nav class="sidebar ${state.drawer ? "open" : ""}" aria-label="Channels">
      <header class="server">
        ${icons.logo}
        <h1>${state.guild?.name ?? "Local server"}</h1>
        <button
          type="button"
          class="icon-button only-narrow"
          aria-label="Close the channel list"
          @click=${() => view.actions.openDrawer(false)}
        >
          ${icons.close}
        </button>
      </header>
      <div class="channels">
        ${uncategorized.map((channel) => channelEntry(channel, view))}
        ${categories.map(
          (category) =>
            html`<details class="category" open>
              <summary>${icons.chevron} ${category.name}</summary>
              ${channels.filter(({ parentId }) => parentId === category.id).map((channel) => channelEntry(channel, view))}
            </details>`
        )}
        ${directEntry(
          channels.find(({ type }) => type === ChannelType.direct),
          view
        )}
      </div>
      ${personPicker(view)}
    </nav>
    <div class="veil ${state.drawer ? "open" : ""}" @click=${() => view.actions.openDrawer(false)}></div>`
}

const byPosition = (a: Channel, b: Channel): number => (a.position ?? 0) - (b.position ?? 0) || byId(a, b)

const directEntry = (channel: Channel | undefined, view: View): unknown => {
  const bot = view.state.people[view.state.botId ?? ""]
  if (bot === undefined) return nothing
  return html`<p class="part">Direct messages</p>
    ${
      channel === undefined
        ? html`<button type="button" class="channel" @click=${() => void view.actions.openDirect()}>
            ${icons.plus}<span class="name">Write to ${displayName(bot)}</span>
          </button>`
        : channelEntry(channel, view)
    }`
}

const channelEntry = (channel: Channel, view: View): TemplateResult => {
  const threads = view.state.channels
    .filter((thread) => isThread(thread) && thread.parentId === channel.id)
    .toReversed()
  const active = threads.filter((thread) => thread.archived !== true)
  const archived = threads.filter((thread) => thread.archived === true)
  const isCurrentArchived = archived.some((thread) => thread.id === view.state.currentChannel)
  return html`<div class="channel-group">
    ${entry(channel, view)}
    ${
      active.length === 0
        ? nothing
        : html`<ul class="threads">
            ${active.map((thread) => html`<li>${entry(thread, view)}</li>`)}
          </ul>`
    }
    ${
      archived.length === 0
        ? nothing
        : html`<details class="archive" ?open=${isCurrentArchived}>
            <summary>${icons.chevron} Archived (${archived.length})</summary>
            <ul class="threads">
              ${archived.map((thread) => html`<li>${entry(thread, view)}</li>`)}
            </ul>
          </details>`
    }
  </div>`
}

const entry = (channel: Channel, view: View): TemplateResult => {
  const isCurrent = channel.id === view.state.currentChannel
  const unread = view.state.unread.has(channel.id)
  const hasDraft = !isCurrent && (view.state.drafts[channel.id]?.text ?? "") !== ""
  return html`<a
    class="channel ${isCurrent ? "here" : ""} ${unread ? "unread" : ""}"
    href=${view.hrefOf(channel.id)}
    aria-current=${isCurrent ? "page" : nothing}
    @click=${() => view.actions.openDrawer(false)}
  >
    ${channelIcon(channel)}
    <span class="name">${nameOf(channel, view.state)}</span>
    ${channel.locked === true ? html`<span title="Locked">${icons.lock}</span>` : nothing}
    ${hasDraft ? html`<span title="You have an unsent text here">${icons.edit}</span>` : nothing}
    ${unread ? html`<span class="dot"><span class="hidden">unread</span></span>` : nothing}
  </a>`
}

const personPicker = (view: View): TemplateResult => {
  const { state } = view
  const me = state.me === undefined ? undefined : state.people[state.me]
  const people = Object.values(state.people).filter((person) => person.bot !== true)
  return html`<footer class="who">
    <details
      class="who-menu"
      @focusout=${onLeave}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === "Escape" && event.currentTarget instanceof HTMLDetailsElement)
          event.currentTarget.open = false
      }}
    >
      <summary aria-label="You are ${me === undefined ? "nobody yet" : displayName(me)}. Switch person">
        ${me === undefined ? nothing : html`${avatar(me, "small")}<span class="name"><b>${displayName(me)}</b> <small>Switch person</small></span>`}
        ${icons.chevron}
      </summary>
      <div class="menu" tabindex="-1">
        <p>Act as</p>
        ${people.map(
          (person) =>
            html`<div class="person">
              <a
                href=${view.hrefOf(state.currentChannel ?? "", person.id)}
                aria-current=${person.id === state.me ? "true" : nothing}
                @click=${(event: Event) => (event.currentTarget as HTMLElement).closest("details")?.removeAttribute("open")}
                >${avatar(person, "small")} ${displayName(person)} ${person.id === state.me ? icons.check : nothing}</a
              >
              <a
                class="icon-button"
                target="_blank"
                href=${view.hrefOf(state.currentChannel ?? "", person.id)}
                aria-label="Open as ${displayName(person)} in a new tab"
                title="Open in a new tab"
                >${icons.out}</a
              >
            </div>`
        )}
        ${language(view, "Your language", state.locale, "mine")}
        ${state.guild?.canManage === true ? language(view, "The server's language", state.guild.locale, "server") : nothing}
      </div>
    </details>
    ${themeButton(view)}
  </footer>`
}

const language = (view: View, label: string, selectedLocale: string, whose: "mine" | "server"): TemplateResult =>
  html`<label class="language"
    >${label}
    <select
      @change=${(event: Event) => void view.actions.setLanguage((event.target as HTMLSelectElement).value, whose)}
    >
      ${view.state.locales.map(
        (locale) =>
          html`<option value=${locale} lang=${locale} .selected=${live(locale === selectedLocale)}>
            ${languageName(locale)}
          </option>`
      )}
    </select></label
  >`

/** What a language calls itself, as the clients of Discord list them. */
const languageName = (locale: string): string =>
  new Intl.DisplayNames([locale], { type: "language", languageDisplay: "standard" }).of(locale) ?? locale

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" }

const themeButton = (view: View): TemplateResult => {
  const themeLabels = { system: "as on this machine", light: "light", dark: "dark" } as const
  const themeIcons = { system: icons.system, light: icons.sun, dark: icons.moon } as const
  const label = `Colours: ${themeLabels[view.theme]}. Switch to ${themeLabels[NEXT_THEME[view.theme]]}`
  return html`<button
    type="button"
    class="icon-button theme"
    title=${label}
    aria-label=${label}
    @click=${() => view.setTheme(NEXT_THEME[view.theme])}
  >
    ${themeIcons[view.theme]}
  </button>`
}
