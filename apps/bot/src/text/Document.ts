import type { SyntaxNode, Tree } from "@lezer/common"
import { blocks } from "./Dialect.ts"
import type { TableRow, Table } from "./Tables.ts"

/** A fenced code block. */
export interface CodeBlock {
  readonly fence: string
  readonly info: string
  /** Its depth of block quotes. */
  readonly depth: number
  /** Its first line begins with a quote mark. */
  readonly isQuoted: boolean
  /** The prefix of its first fence after the quote marks: indentation and list marks. */
  readonly prefix: string
}

/** A line's kind in CommonMark where Discord renders it differently. */
export type Part =
  | { readonly _tag: "Text"; readonly isHeading: boolean; readonly mayBeHeader: boolean }
  | { readonly _tag: "Opener" | "Code" | "Closer"; readonly block: CodeBlock }
  | { readonly _tag: "Header" | "Rule"; readonly table: Table }
  | { readonly _tag: "Row"; readonly table: Table; readonly row: TableRow }
  /** An unfinished line that may become a table's delimiter row. */
  | { readonly _tag: "Pending" }

/** A line of a text, or a part of one. */
export interface Line {
  /** Its offset in the text. */
  readonly at: number
  /** The text without the line break. */
  readonly text: string
  /** Whether it has a line break. */
  readonly isComplete: boolean
  /** Whether more of it may follow. */
  readonly isUnfinished: boolean
  /** Whether it begins inside a line, in a quote or not. */
  readonly inside: "line" | "quote" | undefined
  readonly part: Part
}

/** The lines of a text from an offset on. */
export interface Document {
  readonly lines: ReadonlyArray<Line>
  /** Whether the text is complete. */
  readonly hasEnded: boolean
  /** The offsets of its top-level blocks. */
  readonly starts: ReadonlyArray<number>
}

/** The end of a line, its line break included. */
export const endOf = ({ at, isComplete, text }: Line): number => at + text.length + (isComplete ? 1 : 0)

/** Whether a line is blank, apart from quote marks before code. */
export const isBlank = (line: Line): boolean =>
  (line.part._tag === "Code" ? codeOf(line, line.part.block).code : line.text).trim() === ""

/** A part of a line; offsets refer to the line's text. */
export const slice = (line: Line, from: number, to: number): Line => ({
  ...line,
  at: line.at + from,
  text: line.text.slice(from, to),
  isComplete: line.isComplete && to >= line.text.length,
  inside: from === 0 ? line.inside : /^ {0,3}>/.test(line.text) ? "quote" : "line"
})

/** Code without its quote marks and indentation, and the length of those. */
export const codeOf = (
  { inside, text }: Pick<Line, "inside" | "text">,
  { depth, prefix }: CodeBlock
): { skipped: number; code: string } => {
  if (inside !== undefined) return { skipped: 0, code: text }
  const quotes = quotesOf(text, depth)
  const indent = /^\s*/.exec(text.slice(quotes))?.[0].length ?? 0
  const skipped = quotes + Math.min(indent, prefix.length)
  return { skipped, code: text.slice(skipped) }
}

/** A position in a text. */
export interface TextPosition {
  readonly at: number
  /** The offset of the block at the position, or of an earlier one. */
  readonly block: number
}

/** Whether a text is complete, or more of it may follow. */
export interface TextEnd {
  readonly hasEnded: boolean
}

/**
 * Parses a text and returns its lines from a position on. While more text may follow, an unfinished last line that
 * could become block markup is hidden.
 */
export const parse = (text: string, { at, block }: TextPosition, { hasEnded }: TextEnd): Document => {
  const source = text.slice(block)
  const tree = blocks.parse(source)
  const all = linesOf(source)
  const parts = partsOf(tree, source, all, hasEnded)
  const first = Math.max(
    0,
    all.findLastIndex((line) => line.at <= at - block)
  )
  const lines = all.slice(first).map((line, index): Line => ({
    ...line,
    at: block + line.at,
    inside: undefined,
    isUnfinished: !hasEnded && !line.isComplete,
    part: partOf(all, parts, first + index, hasEnded)
  }))
  return { hasEnded, lines, starts: topLevel(tree).map((start) => block + source.lastIndexOf("\n", start - 1) + 1) }
}

type SourceLine = Pick<Line, "at" | "isComplete" | "text">

const linesOf = (source: string): ReadonlyArray<SourceLine> => {
  const lines: Array<SourceLine> = []
  for (let at = 0; at < source.length;) {
    const end = source.indexOf("\n", at)
    const isComplete = end !== -1
    const to = isComplete ? end : source.length
    lines.push({ at, isComplete, text: source.slice(at, to) })
    at = to + 1
  }
  return lines
}

const topLevel = ({ topNode }: Tree): ReadonlyArray<number> => {
  const starts: Array<number> = []
  for (let node = topNode.firstChild; node !== null; node = node.nextSibling) starts.push(node.from)
  return starts
}

/** The lines of code blocks, tables and headings. A table needs a finished delimiter row. */
const partsOf = (
  tree: Tree,
  source: string,
  lines: ReadonlyArray<SourceLine>,
  hasEnded: boolean
): ReadonlyMap<number, Part> => {
  const parts = new Map<number, Part>()
  let index = 0
  let depth = 0
  const lineAt = (offset: number): number => {
    while (index + 1 < lines.length && (lines[index + 1]?.at ?? 0) <= offset) index++
    return index
  }
  tree.iterate({
    enter: ({ from, name, node }) => {
      if (name === "Blockquote") depth++
      else if (name.startsWith("ATXHeading")) {
        parts.set(lineAt(from), { _tag: "Text", isHeading: true, mayBeHeader: false })
      } else if (name === "FencedCode") {
        const opener = lineAt(from)
        const before = source.slice(lines[opener]?.at ?? 0, from)
        // Discord has no quotes in lists.
        if (/[^\s>].*>/.test(before)) return false
        const block = codeBlock(node, before, source, depth)
        parts.set(opener, { _tag: "Opener", block })
        const closer = closerOf(node)
        const end = lineAt(closer ?? node.to)
        for (let at = opener + 1; at <= end; at++) parts.set(at, { _tag: "Code", block })
        if (closer !== undefined) parts.set(end, { _tag: "Closer", block })
      } else if (name === "Table" && depth === 0) {
        const [header, rule, ...rows] = childrenOf(node).map((child) => ({ child, index: lineAt(child.from) }))
        const isBarred = (row: { readonly index: number } | undefined) =>
          row !== undefined && hasBar(lines[row.index]?.text)
        if (!isBarred(header) || !isBarred(rule) || header === undefined || rule === undefined) return false
        if (!hasEnded && lines[rule.index]?.isComplete !== true) return false
        const table = tableOf(header.child, rule.child, source)
        parts.set(header.index, { _tag: "Header", table })
        parts.set(rule.index, { _tag: "Rule", table })
        // A line without a bar is text below the table.
        const end = rows.findIndex((row) => !isBarred(row))
        for (const { child, index } of end === -1 ? rows : rows.slice(0, end)) {
          parts.set(index, { _tag: "Row", table, row: rowOf(child, source) })
        }
      } else return name !== "Paragraph"
      return name === "Blockquote"
    },
    leave: ({ name }) => {
      if (name === "Blockquote") depth--
    }
  })
  return parts
}

const codeBlock = (node: SyntaxNode, before: string, source: string, depth: number): CodeBlock => {
  const mark = node.firstChild ?? node
  const info = node.getChild("CodeInfo")
  return {
    fence: source.slice(mark.from, mark.to),
    info: info === null ? "" : source.slice(info.from, info.to),
    depth,
    isQuoted: /^\s*>/.test(before),
    prefix: before.slice(quotesOf(before, depth))
  }
}

const closerOf = (node: SyntaxNode): number | undefined => {
  const last = node.lastChild
  return last?.name === "CodeMark" && last.from > node.from ? last.from : undefined
}

/** The length of a number of quote marks at the beginning of a line. */
const quotesOf = (line: string, depth: number): number =>
  depth === 0 ? 0 : (new RegExp(`^(?:[ \\t]*>[ \\t]?){0,${depth}}`).exec(line)?.[0].length ?? 0)

const tableOf = (header: SyntaxNode, rule: SyntaxNode, source: string): Table => ({
  header: rowOf(header, source),
  right: (source.slice(rule.from, rule.to).match(/:?-+:?/g) ?? []).map((each) => /^-+:$/.test(each))
})

const childrenOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const children: Array<SyntaxNode> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

const rowOf = (node: SyntaxNode, source: string): TableRow => {
  const bars = childrenOf(node).filter(({ name }) => name === "TableDelimiter")
  const edges = [node.from - 1, ...bars.map(({ from }) => from), node.to]
  const cells = edges.slice(1).map((to, index) => source.slice((edges[index] ?? 0) + 1, to).trim())
  const open = cells.at(-1) !== ""
  return { cells: cells.slice(cells[0] === "" ? 1 : 0, open ? undefined : -1), open }
}

const hasBar = (text: string | undefined): boolean => text !== undefined && /^\s*\|/.test(text)

/** The fence that would end the code block in which a complete text ends; undefined where it ends in none. */
export const openFence = (text: string): string | undefined => {
  if (!/`{3}|~{3}/.test(text)) return undefined
  const { lines, starts } = parse(text, { at: 0, block: 0 }, { hasEnded: true })
  const opener = lines.findLast(({ part }) => part._tag === "Opener" || part._tag === "Closer")
  if (opener?.part._tag !== "Opener") return undefined
  const { depth, fence, prefix } = opener.part.block
  // A block in a quote or a list ends with it.
  return starts.at(-1) === opener.at && depth === 0 && prefix.trim() === "" ? fence : undefined
}

/** The kind of a line; an unfinished one may still become a closing fence or a delimiter row. */
const partOf = (
  lines: ReadonlyArray<SourceLine>,
  parts: ReadonlyMap<number, Part>,
  index: number,
  hasEnded: boolean
): Part => {
  const { isComplete = true, text = "" } = lines[index] ?? {}
  const isText = (at: number) => !parts.has(at) && hasBar(lines[at]?.text)
  const mayBeHeader = (at: number) => isText(at) && !isText(at - 1) && /\|.*\S/.test(lines[at]?.text ?? "")
  const known = parts.get(index)
  if (!isComplete && !hasEnded) {
    if (known?._tag === "Code" && mayClose(text, known.block)) return { _tag: "Closer", block: known.block }
    if (mayBeHeader(index - 1) && /^\s*\|[\s:|-]*$/.test(text)) return { _tag: "Pending" }
  }
  return known ?? { _tag: "Text", isHeading: false, mayBeHeader: mayBeHeader(index) }
}

const mayClose = (text: string, block: CodeBlock): boolean => {
  const marks = codeOf({ text, inside: undefined }, block).code.trim()
  return marks !== "" && [...marks].every((mark) => mark === block.fence.charAt(0))
}
