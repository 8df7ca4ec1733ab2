import MarkdownIt from "markdown-it"

/** The headings, links, checklists, tables and code blocks of a Markdown text. */
export interface MarkdownStructure {
  readonly headings: ReadonlyArray<StructureHeading>
  readonly links: ReadonlyArray<Link>
  readonly items: ReadonlyArray<ChecklistItem>
  readonly tables: number
  /** The lines of each fenced code block, from 0, the end excluded. */
  readonly codeBlocks: ReadonlyArray<readonly [from: number, until: number]>
}

/** A heading and its lines, from 0, the end excluded. */
export interface StructureHeading {
  readonly level: number
  readonly text: string
  readonly lines: readonly [from: number, until: number]
}

/** One link or image with its text, without formatting; "" for a bare address. */
export interface Link {
  readonly text: string
  readonly url: string
}

/** One line of a checklist with the heading that it stands under, "" above the first one. */
export interface ChecklistItem {
  readonly text: string
  readonly isDone: boolean
  readonly heading: string
}

/** A longer text, in UTF-16 units, takes too long to parse at once. */
export const MAX_MARKDOWN_LENGTH = 512 * 1024

/** Parses Markdown of at most {@link MAX_MARKDOWN_LENGTH} characters. */
export const readStructure = (text: string): MarkdownStructure => {
  const headings: Array<StructureHeading> = []
  const links: Array<Link> = []
  const items: Array<ChecklistItem> = []
  const codeBlocks: Array<readonly [number, number]> = []
  const tokens = parser.parse(text.replace(LONG_LINE, ""), {})
  for (const [i, token] of tokens.entries()) {
    const previousToken = tokens[i - 1]
    if (token.type === "fence" && token.map !== null) codeBlocks.push(token.map)
    if (token.type !== "inline") continue
    links.push(...linksOf(token.children ?? []))
    if (previousToken?.type === "heading_open" && token.content !== "")
      headings.push({
        level: Number(previousToken.tag.slice(1)),
        text: token.content.slice(0, 200),
        lines: previousToken.map ?? [0, 0]
      })
    const checkbox = tokens[i - 2]?.type === "list_item_open" ? CHECKBOX.exec(token.content) : null
    if (checkbox !== null)
      items.push({
        text: (checkbox[2] ?? "").trim().slice(0, 300),
        isDone: checkbox[1] !== " ",
        heading: headings.at(-1)?.text ?? ""
      })
  }
  return { headings, links, items, codeBlocks, tables: tokens.filter(({ type }) => type === "table_open").length }
}

const parser = new MarkdownIt({ linkify: true })
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })

/** A line this long is data; the parser may take seconds for the brackets in it. */
const LONG_LINE = /^.{10000,}$/gm

const CHECKBOX = /^\[([ xX])\][ \t]+(\S.*)/

type Token = ReturnType<typeof parser.parse>[number]

/** The links of a text, and its images. A bare address counts when it is of the web. */
const linksOf = (inline: ReadonlyArray<Token>): ReadonlyArray<Link> =>
  inline.flatMap((token, i) => {
    if (token.type === "image") return [{ text: token.content, url: String(token.attrGet("src") ?? "") }]
    if (token.type !== "link_open") return []
    const url = String(token.attrGet("href") ?? "")
    if (token.info === "auto") return /^https?:/.test(url) ? [{ text: "", url }] : []
    const end = inline.findIndex(({ type }, j) => j > i && type === "link_close")
    return [{ text: textOf(inline.slice(i + 1, end)), url }]
  })

/** The words of inline tokens; a line break becomes a blank. */
const textOf = (tokens: ReadonlyArray<Token>): string =>
  tokens.map(({ content, type }) => (type === "softbreak" || type === "hardbreak" ? " " : content)).join("")
