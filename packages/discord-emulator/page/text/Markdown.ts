import { type Node, type ParseState, markdownEngine, rules } from "@odiffey/discord-markdown"
import { type TemplateResult, html, nothing } from "lit"
import { webUrl } from "./Links.ts"
import { fullDateTime, formatTimestamp } from "./Time.ts"

/** What markdown needs to know to name what it mentions. */
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
 * Shows Discord's markdown. The text is parsed to a tree and each node becomes a template of its own, so text can only
 * ever become text: no HTML string is made of it.
 */
export const markdown = (source: string, names: MentionNames): unknown => nodes(parse(source, { inline: true }), names)

/** Shows markdown's text only, for a single line. */
export const plainText = (source: string, names: MentionNames): string =>
  flatten(parse(source, { inline: true }), names)
    .replace(/\s+/g, " ")
    .trim()

const atLineStart = (state: ParseState): boolean => {
  const before = state.prevCapture?.[0]
  return before === undefined || before === "" || before.endsWith("\n")
}

const parse = markdownEngine.parserFor({
  ...rules,
  heading: {
    ...rules.heading,
    match: (source: string, state: ParseState) =>
      atLineStart(state) ? /^(#{1,3}) +([^\n]+?)(\n|$)/.exec(source) : null
  },
  footnote: {
    ...rules["footnote"],
    match: (source: string, state: ParseState) => (atLineStart(state) ? /^-# +([^\n]+?)(\n|$)/.exec(source) : null)
  },
  discordSlash: {
    ...rules["discordSlash"],
    match: (source: string) => /^<\/([^\n:>]{1,100}):(\d{15,21})>/.exec(source),
    parse: (capture: RegExpExecArray) => ({ name: capture[1] })
  }
})

const nodes = (content: Node["content"], names: MentionNames): unknown =>
  typeof content === "string" ? content : withoutExtraBreaks(content ?? []).map((node) => show(node, names))

const BLOCKS = new Set(["codeBlock", "list", "heading", "footnote"])
const isBreak = (node: Node | undefined): boolean => node?.type === "br" || node?.type === "newline"

// A block ends its line by itself (a quote's has its end in it), and the last line needs no end.
const withoutExtraBreaks = (all: ReadonlyArray<Node>): ReadonlyArray<Node> =>
  all.filter((node, index) => {
    const before = all[index - 1]
    return !isBreak(node) || !(index === all.length - 1 || (before !== undefined && BLOCKS.has(before.type)))
  })

// HTML folds spaces; people who line things up with them want to see them.
const spaced = (value: string): string => value.replaceAll("  ", " \u00a0")

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const show = (node: Node, names: MentionNames): unknown => {
  switch (node.type) {
    case "text":
      return spaced(text(node.content))
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
      return html`<code>${text(node.content).trim()}</code>`
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
      return html`<span class="mention">@${names.user(text(node["id"])) ?? "unknown-user"}</span>`
    case "discordRole":
      return html`<span class="mention">@${names.role(text(node["id"])) ?? "unknown-role"}</span>`
    case "discordEveryone":
      return html`<span class="mention">@everyone</span>`
    case "discordHere":
      return html`<span class="mention">@here</span>`
    case "discordChannel": {
      const id = text(node["id"])
      const name = names.channel(id)
      return name === undefined
        ? html`<span class="mention">#unknown</span>`
        : html`<a class="mention" href=${names.channelHref(id)}>#${name}</a>`
    }
    case "discordSlash": {
      const path = text(node["name"])
      return html`<button type="button" class="mention" @click=${() => names.command(path)}>/${path}</button>`
    }
    case "discordEmoji":
      return `:${text(node["name"])}:`
    case "discordTimestamp": {
      const at = new Date(Number(node["timestamp"]) * 1000)
      if (Number.isNaN(at.getTime())) return text(node["timestamp"])
      return html`<time class="timestamp" datetime=${at.toISOString()} title=${fullDateTime(at, names.locale)}
        >${formatTimestamp(at, text(node["style"]), new Date(), names.locale)}</time
      >`
    }
    default:
      return nodes(node.content, names)
  }
}

const heading = (level: number, content: unknown): TemplateResult => {
  // A message is not a document of its own: its headings look like headings without joining the page's outline.
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
  const title = node["title"] === undefined ? href : `${text(node["title"])} (${href})`
  return html`<a href=${href} title=${title} target="_blank" rel="noopener noreferrer nofollow">${label}</a>`
}

const codeBlock = (node: Node): TemplateResult => {
  const code = text(node.content)
  const copy = (event: Event) => {
    const button = event.currentTarget as HTMLButtonElement
    navigator.clipboard.writeText(code).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Not allowed")
    )
  }
  return html`<div class="code-block">
    <pre tabindex="0"><code>${highlighted(node, code)}</code></pre>
    <button type="button" class="copy" @click=${copy}>Copy</button>
  </div>`
}

// The highlighter answers in HTML; only its spans' classes and its text are taken over.
const highlighted = (node: Node, code: string): unknown => {
  if (text(node["lang"]) === "") return code
  const inert = document.createElement("template")
  inert.innerHTML = rules.codeBlock.html(node, undefined, {})
  const walk = (parent: globalThis.Node): ReadonlyArray<unknown> =>
    [...parent.childNodes].map((child) =>
      child instanceof HTMLElement
        ? html`<span class=${/^hljs[\w -]*$/.test(child.className) ? child.className : nothing}>${walk(child)}</span>`
        : (child.textContent ?? "")
    )
  const block = inert.content.querySelector("code")
  return block === null ? code : walk(block)
}

const reveal = (event: Event): void => {
  if (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ") return
  if (event.currentTarget instanceof HTMLElement) event.currentTarget.classList.add("shown")
}

const flatten = (content: Node["content"] | ReadonlyArray<Node>, names: MentionNames): string =>
  typeof content === "string" ? content : (content ?? []).map((node) => flat(node, names)).join("")

const flat = (node: Node, names: MentionNames): string => {
  switch (node.type) {
    case "br":
    case "newline":
      return " "
    case "discordSlash":
      return `/${text(node["name"])}`
    case "discordUser":
      return `@${names.user(text(node["id"])) ?? "unknown-user"}`
    case "discordRole":
      return `@${names.role(text(node["id"])) ?? "unknown-role"}`
    case "discordChannel":
      return `#${names.channel(text(node["id"])) ?? "unknown"}`
    case "discordTimestamp": {
      const at = new Date(Number(node["timestamp"]) * 1000)
      return Number.isNaN(at.getTime()) ? "" : formatTimestamp(at, text(node["style"]), new Date(), names.locale)
    }
    default:
      return Array.isArray(node["items"])
        ? (node["items"] as ReadonlyArray<ReadonlyArray<Node>>).map((item) => flatten(item, names)).join(" ")
        : flatten(node.content, names)
  }
}
