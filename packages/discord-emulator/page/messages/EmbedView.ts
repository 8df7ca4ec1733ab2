import type { APIEmbed } from "discord-api-types/v10"
import { type TemplateResult, html, nothing } from "lit"
import { localFileUrl, webUrl } from "../text/Links.ts"
import { type MentionNames, markdown } from "../text/Markdown.ts"
import { messageTime } from "../text/Time.ts"

/** Shows one embed: colour, author, title, text, fields, pictures, footer. */
export const embedView = (embed: APIEmbed, names: MentionNames, now: Date): TemplateResult => {
  const fields = embed.fields ?? []
  const color = typeof embed.color === "number" ? `#${embed.color.toString(16).padStart(6, "0")}` : "var(--edge)"
  return html`<section class="embed" style="border-left-color:${color}">
    <div class="embed-body">
      ${embed.author === undefined ? nothing : html`<div class="embed-author">${picture(embed.author.icon_url, "embed-icon")}${linkTo(embed.author.url, embed.author.name)}</div>`}
      ${embed.title === undefined ? nothing : html`<div class="embed-title">${linkTo(embed.url, markdown(embed.title, names))}</div>`}
      ${embed.description === undefined ? nothing : html`<div class="embed-description markup">${markdown(embed.description, names)}</div>`}
      ${
        fields.length === 0
          ? nothing
          : html`<dl class="embed-fields">
              ${fields.map(
                (field) =>
                  html`<div class=${field.inline === true ? "inline" : ""}>
                    <dt>${markdown(field.name, names)}</dt>
                    <dd class="markup">${markdown(field.value, names)}</dd>
                  </div>`
              )}
            </dl>`
      }
      ${picture(embed.image?.url, "embed-image", embed.title)}
      ${embed.footer === undefined && embed.timestamp === undefined ? nothing : footer(embed, now)}
    </div>
    ${picture(embed.thumbnail?.url, "embed-thumbnail")}
  </section>`
}

/**
 * Shows a picture of this server; a picture of another host is only named, because the page loads nothing from other
 * hosts.
 */
export const picture = (url: string | undefined, className: string, alt = ""): unknown => {
  if (url === undefined || url === "") return nothing
  const path = localFileUrl(url)
  if (path !== undefined) {
    const image = html`<img class=${className} src=${path} alt=${alt} loading="lazy" />`
    return className === "embed-icon"
      ? image
      : html`<a class="picture" href=${path} target="_blank" rel="noopener">${image}</a>`
  }
  const href = webUrl(url)
  if (href === undefined || className === "embed-icon") return nothing
  return html`<a class="outside" href=${href} target="_blank" rel="noopener noreferrer nofollow"
    >Picture at ${new URL(href).host}</a
  >`
}

const linkTo = (url: string | undefined, label: unknown): unknown => {
  const href = webUrl(url)
  return href === undefined
    ? label
    : html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow">${label}</a>`
}

const footer = (embed: APIEmbed, now: Date): TemplateResult => {
  const timestamp = embed.timestamp === undefined ? undefined : new Date(embed.timestamp)
  return html`<footer class="embed-footer">
    ${picture(embed.footer?.icon_url, "embed-icon")}${embed.footer?.text ?? nothing}${
      timestamp === undefined
        ? nothing
        : html`${embed.footer === undefined ? nothing : " • "}<time datetime=${timestamp.toISOString()}
              >${messageTime(timestamp, now)}</time
            >`
    }
  </footer>`
}
