import type {
  APIButtonComponent,
  APIMessageComponent,
  APISelectMenuComponent,
  APIMessageTopLevelComponent
} from "discord-api-types/v10"
import { type TemplateResult, html, nothing } from "lit"
import { guard } from "lit/directives/guard.js"
import { attachmentView } from "./AttachmentView.ts"
import { picture } from "./EmbedView.ts"
import { icons } from "../widgets/Icons.ts"
import { ButtonStyle, ComponentType } from "../model/Constants.ts"
import { webUrl } from "../text/Links.ts"
import { markdown } from "../text/Markdown.ts"
import { optionsOf, presetOf } from "./SelectOptions.ts"
import type { Message } from "../model/Types.ts"
import type { View } from "../actions/View.ts"

/** Shows what a bot put below (or, with components V2, instead of) its text. */
export const componentsView = (message: Message, view: View): unknown => {
  const components = message.components ?? []
  return components.length === 0
    ? nothing
    : html`<div class="components">${components.map((component) => show(component, message, view))}</div>`
}

const show = (component: APIMessageTopLevelComponent | APIMessageComponent, message: Message, view: View): unknown => {
  switch (component.type) {
    case ComponentType.ActionRow:
      return html`<div class="action-row">${component.components.map((child) => show(child, message, view))}</div>`
    case ComponentType.Button:
      return button(component, message, view)
    case ComponentType.StringSelect:
    case ComponentType.UserSelect:
    case ComponentType.RoleSelect:
    case ComponentType.MentionableSelect:
    case ComponentType.ChannelSelect:
      return select(component, message, view)
    case ComponentType.TextDisplay:
      return html`<div class="markup">${markdown(component.content, view.names)}</div>`
    case ComponentType.Section:
      return html`<div class="section">
        <div>${component.components.map((child) => show(child, message, view))}</div>
        ${show(component.accessory, message, view)}
      </div>`
    case ComponentType.Thumbnail:
      return picture(component.media.url, "embed-thumbnail", component.description ?? "")
    case ComponentType.MediaGallery:
      return html`<div class="gallery">
        ${component.items.map((item) => picture(item.media.url, "embed-image", item.description ?? ""))}
      </div>`
    case ComponentType.File: {
      const file = message.attachments.find((entry) => component.file.url.endsWith(entry.filename))
      return file === undefined ? nothing : attachmentView(file)
    }
    case ComponentType.Separator:
      return html`<hr class=${component.divider === false ? "plain" : ""} />`
    case ComponentType.Container: {
      const color =
        typeof component.accent_color === "number"
          ? `#${component.accent_color.toString(16).padStart(6, "0")}`
          : "var(--edge)"
      return html`<div class="container" style="border-left-color:${color}">
        ${component.components.map((child) => show(child, message, view))}
      </div>`
    }
  }
}

const styles: Readonly<Record<number, string>> = {
  [ButtonStyle.Primary]: "primary",
  [ButtonStyle.Secondary]: "secondary",
  [ButtonStyle.Success]: "success",
  [ButtonStyle.Danger]: "danger"
}

const button = (component: APIButtonComponent, message: Message, view: View): TemplateResult => {
  const emoji = "emoji" in component ? component.emoji : undefined
  const label = html`${emoji?.name === undefined || emoji.name === null ? nothing : html`<span class="emoji">${emoji.id === undefined || emoji.id === null ? emoji.name : `:${emoji.name}:`}</span>`}${
    "label" in component ? component.label : nothing
  }`
  if (component.style === ButtonStyle.Link) {
    const href = webUrl(component.url)
    return href === undefined || component.disabled === true
      ? html`<button type="button" class="button secondary" disabled>${label}</button>`
      : html`<a class="button secondary" href=${href} target="_blank" rel="noopener noreferrer nofollow"
          >${label} ${icons.out}</a
        >`
  }
  const customId = "custom_id" in component ? component.custom_id : undefined
  const busy = customId !== undefined && view.state.busy.has(`${message.id}:${customId}`)
  return html`<button
    type="button"
    class="button ${styles[component.style] ?? "secondary"} ${busy ? "busy" : ""}"
    ?disabled=${component.disabled === true || customId === undefined}
    aria-busy=${busy}
    @click=${() => (customId === undefined ? undefined : void view.actions.press(message, customId))}
  >
    ${label}
  </button>`
}

const select = (component: APISelectMenuComponent, message: Message, view: View): TemplateResult => {
  const busy = view.state.busy.has(`${message.id}:${component.custom_id}`)
  const options = optionsOf(component, view.state)
  return html`<select-menu
    class=${busy ? "busy" : ""}
    .options=${options}
    .chosen=${guard([message], () => presetOf(component))}
    .placeholder=${component.placeholder ?? "Make a selection"}
    .min=${component.min_values ?? 1}
    .max=${component.max_values ?? 1}
    .disabled=${component.disabled === true || busy}
    @choose=${(event: CustomEvent<ReadonlyArray<string>>) => void view.actions.press(message, component.custom_id, event.detail)}
  ></select-menu>`
}
