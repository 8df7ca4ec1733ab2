import { wellFormed } from "./Sanitize.ts"
import { type CodeBlock, codeOf, isBlank, type Line, type Part } from "./Document.ts"
import {
  beforeIndent,
  beforeRest,
  escapeAll,
  escapeCode,
  type EscapeLine,
  escapeText,
  isUnsafe,
  mayBeUnsafeInCode
} from "./Escape.ts"
import * as Tables from "./Tables.ts"

/** Source text and what is shown for it; an added mark has the source "". */
export interface Piece {
  readonly source: string
  readonly shown: string
}

/** Rendered lines. */
export interface Rendering {
  readonly pieces: ReadonlyArray<Piece>
  /** The output for Discord, without an open code block and without outer white space, which Discord trims. */
  readonly content: string
}

export interface LayoutOptions {
  /** No visible text follows the lines. */
  readonly isEnd?: boolean
  /** Render the last table as a list, although it is narrow. */
  readonly asList?: boolean
  /** A table whose source lines are shown unchanged. */
  readonly rawTable?: Tables.Table | undefined
}

/** Renders lines as Discord Markdown. */
export const render = (lines: ReadonlyArray<Line>, options: LayoutOptions = {}): Rendering => {
  const safe = layout(lines, options, escapeAll)
  if (!lines.some(({ text }) => mayBeUnsafeInCode(text))) return rendering(safe)
  // Code spans depend on the whole message.
  const kept = rendering(layout(lines, options, escapeText))
  return isUnsafe(kept.content) ? rendering(safe) : kept
}

/** An upper bound of the length after {@link render}. A hidden opening line of a code block at the end counts. */
export const measure = (lines: ReadonlyArray<Line>, options: LayoutOptions = {}): number => {
  const last = lines.at(-1)
  const opener = last?.part._tag === "Opener" ? [visible("", last.text.trimEnd())] : []
  return contentOf([...layout(lines, options, escapeAll), ...opener]).length
}

/** White space is kept only between visible parts. */
interface Segment extends Piece {
  readonly isSpace?: true
}

const visible = (source: string, shown: string): Segment => ({ source, shown })
const hidden = (source: string): Segment => ({ source, shown: "" })
const space = (source: string): Segment => ({ source, shown: source, isSpace: true })

const lineBreak = (line: Line | undefined): string => (line?.isComplete === true ? "\n" : "")

const isVisible = ({ isSpace, shown }: Segment): boolean => isSpace !== true && shown !== ""

const contentOf = (segments: ReadonlyArray<Segment>): string => {
  const visibleSegments = segments.slice(segments.findIndex(isVisible), segments.findLastIndex(isVisible) + 1)
  return visibleSegments
    .map(({ shown }) => shown)
    .join("")
    .trim()
}

const rendering = (segments: ReadonlyArray<Segment>): Rendering => {
  const first = segments.findIndex(isVisible)
  const last = segments.findLastIndex(isVisible)
  const pieces = segments
    .map(({ isSpace, shown, source }, at) => ({ source, shown: isSpace && (at < first || at > last) ? "" : shown }))
    .filter(({ shown, source }) => source !== "" || shown !== "")
  return { pieces, content: wellFormed(contentOf(segments)) }
}

const layout = (lines: ReadonlyArray<Line>, options: LayoutOptions, escape: EscapeLine): ReadonlyArray<Segment> => {
  const groups = groupLines(lines, options.rawTable)
  const lastVisible = groups.findLastIndex(({ lines }) => !lines.every(isBlank))
  const segments: Array<Segment> = []
  let hasBegun = false
  for (const [index, { block, lines }] of groups.entries()) {
    const added: ReadonlyArray<Segment> =
      block === undefined
        ? textLine(lines[0], !hasBegun, escape)
        : "fence" in block
          ? codeLines(block, lines, escape, index < groups.length - 1 || options.isEnd === true)
          : tableLines(block, lines, { escape, asList: options.asList === true && index >= lastVisible })
    segments.push(...added)
    hasBegun ||= added.some(isVisible)
  }
  return segments
}

/** Lines of one code block or table, or a line of text. */
interface LineGroup {
  readonly block: CodeBlock | Tables.Table | undefined
  readonly lines: ReadonlyArray<Line>
}

const groupLines = (lines: ReadonlyArray<Line>, rawTable: Tables.Table | undefined): ReadonlyArray<LineGroup> => {
  const groups: Array<{ readonly block: LineGroup["block"]; readonly lines: Array<Line> }> = []
  for (const line of lines) {
    const block = blockOf(line.part, rawTable)
    const previous = groups.at(-1)
    if (block !== undefined && previous?.block === block) previous.lines.push(line)
    else groups.push({ block, lines: [line] })
  }
  // A header needs the delimiter row below it.
  return groups.map(({ block, lines }) =>
    lines.every(({ part }) => part._tag === "Header") ? { block: undefined, lines } : { block, lines }
  )
}

const blockOf = (part: Part, rawTable: Tables.Table | undefined): LineGroup["block"] => {
  if ("block" in part) return part.block
  return "table" in part && part.table !== rawTable ? part.table : undefined
}

const textLine = (line: Line | undefined, isFirst: boolean, escape: EscapeLine): ReadonlyArray<Segment> => {
  if (line === undefined) return []
  const { inside, part, text } = line
  if (part._tag === "Pending") return [hidden(text)]
  if (isBlank(line)) return [space(text + lineBreak(line))]
  const start =
    inside === undefined ? (isFirst ? beforeIndent(text) : "") : `${quote(inside === "quote")}${beforeRest(text)}`
  return [visible("", start), visible(text, escape(text, { atStart: inside === undefined })), space(lineBreak(line))]
}

/** A table, rendered as a whole, and the line break after it. */
const tableLines = (
  table: Tables.Table,
  lines: ReadonlyArray<Line>,
  { asList, escape }: Pick<Tables.TableOptions, "asList" | "escape">
): ReadonlyArray<Segment> => {
  const rows = lines.flatMap(({ part }) => (part._tag === "Row" ? [part.row] : []))
  const isUnfinished = lines.at(-1)?.isUnfinished === true
  const source = lines.map((line) => line.text + lineBreak(line)).join("")
  return [
    visible(source.replace(/\n$/, ""), Tables.layout(table, rows, { asList, escape, isUnfinished })),
    space(source.endsWith("\n") ? "\n" : "")
  ]
}

/** A code block without outer blank lines; an empty one shows its info string. */
const codeLines = (
  block: CodeBlock,
  lines: ReadonlyArray<Line>,
  escape: EscapeLine,
  isOver: boolean
): ReadonlyArray<Segment> => {
  const opener = lines.find(({ part }) => part._tag === "Opener")
  const closer = lines.find(({ part }) => part._tag === "Closer")
  const code = lines.filter(({ part }) => part._tag === "Code").map((line) => ({ line, ...codeOf(line, block) }))
  const isCode = ({ code }: { readonly code: string }) => code.trim() !== ""
  const first = code.findIndex(isCode)
  const last = code.findLastIndex(isCode)
  const sourceOf = ({ line }: { readonly line: Line }) => line.text + lineBreak(line)
  const end = closer === undefined ? [] : [hidden(closer.text), space(lineBreak(closer))]
  const begin = opener === undefined ? [] : [hidden(opener.text + lineBreak(opener))]
  if (first === -1) {
    const empty = opener !== undefined && (closer !== undefined || isOver) ? emptyBlock(block) : ""
    return [...begin, ...code.map((each) => hidden(sourceOf(each))), visible("", empty), ...end]
  }
  const mark = quote(block.isQuoted)
  return [
    ...begin,
    ...code.slice(0, first).map((each) => hidden(sourceOf(each))),
    visible("", `${opener === undefined ? mark : blockPrefix(block, escape)}\`\`\`${languageOf(block)}\n`),
    ...code
      .slice(first, last + 1)
      .flatMap(({ code, line, skipped }, at) => [
        hidden(line.text.slice(0, skipped)),
        visible("", mark),
        visible(code, escapeCode(code)),
        ...(at === last - first ? [] : [visible(lineBreak(line), lineBreak(line))])
      ]),
    visible("", `\n${mark}\`\`\``),
    ...[lineBreak(code[last]?.line), ...code.slice(last + 1).map(sourceOf)].map(closer === undefined ? space : hidden),
    ...end
  ]
}

const quote = (isQuoted: boolean): string => (isQuoted ? "> " : "")

const languageOf = ({ info }: CodeBlock): string => /^[\w+#.-]{1,20}(?=$|[\s{,]|:(?!\/\/))/.exec(info)?.[0] ?? ""

/** The prefix of a block: its list marks, and the info string after the language. */
const blockPrefix = (block: CodeBlock, escape: EscapeLine): string => {
  const caption = escape(block.info.slice(languageOf(block).length).trim())
  const entry = entryOf(block)
  const mark = quote(block.isQuoted)
  return `${mark}${entry}${caption === "" ? "" : `${entry === "" ? "-# " : ""}${caption}\n${mark}`}`
}

const entryOf = ({ prefix }: CodeBlock): string => {
  const marks = prefix.trim()
  return marks === "" ? "" : `${prefix.slice(0, prefix.indexOf(marks)).slice(0, 8)}${marks} `
}

const emptyBlock = (block: CodeBlock): string => {
  const mark = quote(block.isQuoted)
  const { info } = block
  return info === "" ? "" : `${mark}${entryOf(block)}\`\`\`\n${mark}${escapeCode(info)}\n${mark}\`\`\``
}
