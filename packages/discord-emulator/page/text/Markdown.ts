import type { Node } from "@odiffey/discord-markdown"
import { type TemplateResult, html } from "lit"
import { codeBlock } from "./CodeBlock.ts"
import { webUrl } from "./Links.ts"
import { parseMarkdown } from "./MarkdownParser.ts"
import { fullDateTime, formatTimestamp } from "./Time.ts"

/** The names and addresses that mentions show. */
export interface MentionNames {
  /** The language of the person's client. */
  readonly locale: string
  readonly user: (id: string) => string | undefined
  readonly channel: (id: string) => string | undefined
  readonly role: (id: string) => string | undefined
  readonly channelHref: (id: string) => string
  readonly command: (path: string) => void
}

/**
 * Shows Discord's markdown. A library parses it to a tree, and each node becomes a template. No HTML string is built, so
 * text can never become markup.
 */
export const markdown = (source: string, names: MentionNames): unknown => nodes(parseMarkdown(source), names)

/** The text of markdown on a single line. */
export const plainText = (source: string, names: MentionNames): string =>
  flatten(parseMarkdown(source), names).replace(/\s+/g, " ").trim()

const nodes = (content: Node["content"], names: MentionNames): unknown =>
  typeof content === "string" ? content : withoutExtraBreaks(content ?? []).map((node) => show(node, names))

const BLOCKS = new Set(["codeBlock", "list", "heading", "footnote"])
const isBreak = (node: Node | undefined): boolean => node?.type === "br" || node?.type === "newline"

// A block ends its line by itself, and the last line needs no line break.
const withoutExtraBreaks = (content: ReadonlyArray<Node>): ReadonlyArray<Node> =>
  content.filter((node, index) => {
    const before = content[index - 1]
    return !isBreak(node) || !(index === content.length - 1 || (before !== undefined && BLOCKS.has(before.type)))
  })

// HTML collapses spaces; messages keep them.
const keepSpaces = (value: string): string => value.replaceAll("  ", " \u00a0")

const asText = (value: unknown): string => (typeof value === "string" ? value : "")

const show = (node: Node, names: MentionNames): unknown => {
  switch (node.type) {
    case "text":
      return keepSpaces(asText(node.content))
    case "br":
    case "newline":
      return html`<br />`
    case "strong":
      return html`<strong>${nodes(node.content, names)}</strong>`
    case "em":
      return html`<em>${nodes(node.content, names)}</em>`
    case "u":
      return html`<u>${nodes(node.content, names)}</u>`
    case "strike":
      return html`<s>${nodes(node.content, names)}</s>`
    case "inlineCode":
      return html`<code>${asText(node.content).trim()}</code>`
    case "codeBlock":
      return codeBlock(node)
    case "blockQuote":
      return html`<blockquote>${nodes(node.content, names)}</blockquote>`
    case "heading":
      return heading(Number(node["level"]), nodes(node.content, names))
    case "footnote":
      return html`<small class="subtext">${nodes(node.content, names)}</small>`
    case "list":
      return list(node, names)
    case "spoiler":
      return html`<span
        class="spoiler"
        role="button"
        tabindex="0"
        aria-label="Spoiler"
        @click=${reveal}
        @keydown=${reveal}
        ><span>${nodes(node.content, names)}</span></span
      >`
    case "link":
    case "url":
    case "autolink":
      return link(node, names)
    case "discordUser":
    case "discordRole":
    case "discordEveryone":
    case "discordHere":
      return html`<span class="mention">${mentionText(node, names)}</span>`
    case "discordChannel": {
      const id = asText(node["id"])
      return names.channel(id) === undefined
        ? html`<span class="mention">${mentionText(node, names)}</span>`
        : html`<a class="mention" href=${names.channelHref(id)}>${mentionText(node, names)}</a>`
    }
    case "discordSlash": {
      const path = asText(node["name"])
      return html`<button type="button" class="mention" @click=${() => names.command(path)}>
        ${mentionText(node, names)}
      </button>`
    }
    case "discordEmoji":
      return `:${asText(node["name"])}:`
    case "discordTimestamp": {
      const at = new Date(Number(node["timestamp"]) * 1000)
      if (Number.isNaN(at.getTime())) return asText(node["timestamp"])
      return html`<time class="timestamp" datetime=${at.toISOString()} title=${fullDateTime(at, names.locale)}
        >${formatTimestamp(at, asText(node["style"]), new Date(), names.locale)}</time
      >`
    }
    default:
      return nodes(node.content, names)
  }
}

const heading = (level: number, content: unknown): TemplateResult => {
  // Headings in a message are below the page's own headings.
  return html`<div class="heading heading-${level}" role="heading" aria-level=${Math.min(level + 3, 6)}>
    ${content}
  </div>`
}

const list = (node: Node, names: MentionNames): TemplateResult => {
  const items = Array.isArray(node["items"]) ? (node["items"] as ReadonlyArray<ReadonlyArray<Node>>) : []
  const entries = items.map((item) => html`<li>${nodes(item, names)}</li>`)
  return node["ordered"] === true
    ? html`<ol start=${Number(node["start"] ?? 1)}>
        ${entries}
      </ol>`
    : html`<ul>
        ${entries}
      </ul>`
}

const link = (node: Node, names: MentionNames): unknown => {
  const href = webUrl(node["target"])
  const label = nodes(node.content, names)
  if (href === undefined) return label
  const title = node["title"] === undefined ? href : `${asText(node["title"])} (${href})`
  return html`<a href=${href} title=${title} target="_blank" rel="noopener noreferrer nofollow">${label}</a>`
}

const reveal = (event: Event): void => {
  if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.classList.add("shown")
}

const flatten = (content: Node["content"] | ReadonlyArray<Node>, names: MentionNames): string =>
  typeof content === "string" ? content : (content ?? []).map((node) => flattenNode(node, names)).join("")

const flattenNode = (node: Node, names: MentionNames): string => {
  switch (node.type) {
    case "br":
    case "newline":
      return " "
    case "discordSlash":
    case "discordUser":
    case "discordRole":
    case "discordChannel":
      return mentionText(node, names)
    case "discordTimestamp": {
      const at = new Date(Number(node["timestamp"]) * 1000)
      return Number.isNaN(at.getTime()) ? "" : formatTimestamp(at, asText(node["style"]), new Date(), names.locale)
    }
    default:
      return Array.isArray(node["items"])
        ? (node["items"] as ReadonlyArray<ReadonlyArray<Node>>).map((item) => flatten(item, names)).join(" ")
        : flatten(node.content, names)
  }
}

const mentionText = (node: Node, names: MentionNames): string => {
  const id = asText(node["id"])
  switch (node.type) {
    case "discordUser":
      return `@${names.user(id) ?? "unknown-user"}`
    case "discordRole":
      return `@${names.role(id) ?? "unknown-role"}`
    case "discordChannel":
      return `#${names.channel(id) ?? "unknown"}`
    case "discordHere":
      return "@here"
    case "discordEveryone":
      return "@everyone"
    default:
      return `/${asText(node["name"])}`
  }
}
