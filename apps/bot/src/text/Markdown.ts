import { sendable } from "./Clean.ts"
import { codeKept, codeSafe, indentSafe, mayNameInCode, names, restSafe, type Safe, textSafe } from "./Defuse.ts"
import { closes, entries, type Fence, opens, quoteOf } from "./Fences.ts"
import * as Tables from "./Tables.ts"

/** A stretch of the text and what stands for it: itself, a safe form of it, or nothing. Without a source it is a mark. */
export interface Piece {
  readonly source: string
  readonly shown: string
}

/** What goes on at some place of a text. */
export interface Context {
  /** The code block that is open. */
  readonly fence?: Fence | undefined
  /** The table whose rows follow. */
  readonly table?: Tables.Head | undefined
  /** The line before looks like a row but is of no table; `head` when it could be the first line of one. */
  readonly run?: "head" | "row" | undefined
  /** The columns where the text of the list entries begins that are open, the outermost first. */
  readonly entries?: ReadonlyArray<number> | undefined
  /** The place is inside a line: how the rest of it has to begin, such as with the mark of a quote. */
  readonly within?: string | undefined
}

export interface Rendering {
  readonly pieces: ReadonlyArray<Piece>
  /** What Discord gets: no code block is left open, and no white space is at an edge, where Discord drops it. */
  readonly content: string
  readonly context: Context
  /** The characters and lines that it takes; the line that opens a block at its end counts although it is not shown. */
  readonly length: number
  readonly lines: number
  /** The last thing shown is a table. */
  readonly endsInTable: boolean
}

export interface RenderOptions {
  /** The last line goes on for certain: by itself it is no mark of a block. */
  readonly goesOn?: boolean
  /** A table at the end becomes a list even though it is narrow. */
  readonly list?: boolean
  /** Nothing comes after the text: what could still have become a mark is none, and no word waits for more. */
  readonly ended?: boolean
}

/**
 * Writes a part of a CommonMark text as Discord reads it: every kind of fence as three backticks that only the block's
 * end closes, tables as aligned code or lists, nothing that Discord alone would take for a mention or a mark.
 * As long as it is not known what an unfinished last line is, it takes the least room that it may need: more of a line
 * never needs less.
 */
export const render = (text: string, context: Context, options: RenderOptions = {}): Rendering => {
  const safe = write(text, context, options, textSafe)
  if (!mayNameInCode(text)) return safe
  // Whether a line's code is code to Discord is known from the whole message; the room is the same in both cases.
  const kept = write(text, context, options, codeKept)
  return names(kept.content) ? safe : { ...kept, length: safe.length, lines: safe.lines }
}

const write = (text: string, context: Context, options: RenderOptions, safe: Safe): Rendering => {
  const out = writer()
  let { fence, run, table, within } = context
  let around = context.entries ?? []
  let below = within !== undefined
  let opened = false
  let endsInTable = false
  let opening = ""

  const close = (at: Fence) => {
    if (opened) out.end(`\n${at.quote}\`\`\``)
    else if (at.empty !== "") out.show(at.empty, "")
    opened = false
  }
  const code = (line: string, at: Fence) => {
    if (!opened) out.show(`${at.lead}\`\`\`${at.language}\n`, "")
    const indent = within === undefined ? Math.min(at.indent, line.length - line.trimStart().length) : 0
    out.hide(line.slice(0, indent))
    out.show(at.quote, "")
    out.show(codeSafe(line.slice(indent)), line.slice(indent))
    if (!opened) fence = { ...at, lead: at.quote, empty: "" }
    opened = true
  }

  const added = options.ended === true && text !== "" && !text.endsWith("\n")
  const lines = (added ? `${text}\n` : text).split("\n")
  const last = lines.length - 1
  for (let at = 0; at <= last; at++) {
    const line = lines[at] ?? ""
    const complete = at < last
    if (!complete && line === "") break
    const sure = complete || options.goesOn === true
    const inside = within
    opening = ""
    if (complete) within = undefined

    if (fence !== undefined) {
      const quoted: string = fence.quote === "" || inside !== undefined ? "" : quoteOf(line)
      if (fence.quote !== "" && inside === undefined && quoted === "") {
        const shown = opened || fence.empty !== ""
        close(fence)
        if (shown) out.end("\n")
        fence = undefined
      } else {
        const inner = line.slice(quoted.length)
        out.hide(quoted)
        if (inside === undefined && closes(inner, fence, sure)) {
          if (opened) out.drop()
          out.hide(inner)
          close(fence)
          fence = undefined
        } else if (inner.trim() === "") {
          if (opened) out.wait(inner)
          else {
            out.hide(complete ? `${inner}\n` : inner)
            continue
          }
        } else {
          within = inside
          code(inner, fence)
          if (complete) within = undefined
        }
        if (complete) out.wait("\n")
        continue
      }
    }

    const head: Tables.Head | undefined = inside === undefined ? (table ?? headAt(lines, at, run)) : undefined
    if (head !== undefined) {
      const first = table === undefined ? at + 2 : at
      let end = first
      while (end <= last && (Tables.isRow(lines[end]) || (end === last && /^\s*\|/.test(lines[end] ?? "")))) end++
      table = undefined
      if (end > at) {
        const shown = Tables.lay(head, lines.slice(first, end), {
          safe,
          list: options.list === true && lines.slice(end).every((other) => other.trim() === ""),
          growing: end > last
        })
        out.show(shown, lines.slice(at, end).join("\n"))
        endsInTable = true
        if (end <= last) out.wait("\n")
        if (end >= last) table = head
        at = end - 1
        continue
      }
    }

    if (line.trim() === "") {
      out.wait(complete ? `${line}\n` : line)
      run = undefined
      below = false
      continue
    }
    endsInTable = false
    const opener = inside === undefined ? opens(line, around, (words) => safe(words, false)) : undefined
    if (inside === undefined) around = entries(line.slice(quoteOf(line).length), around, below)
    below = opener === undefined
    if (opener !== undefined) {
      opening = line.trimEnd()
      out.hide(complete ? `${line}\n` : line)
      run = undefined
      if (sure) fence = opener
      continue
    }
    if (!sure && run === "head" && Tables.mayBeRule(line)) {
      out.hide(line)
      continue
    }
    run = inside !== undefined || !Tables.isRow(line) ? undefined : run === undefined ? "head" : "row"
    if (inside !== undefined) out.show(inside + restSafe(line), "")
    else if (!out.begun()) out.show(indentSafe(line), "")
    out.show(safe(line, inside === undefined), line)
    if (complete) out.wait("\n")
    else within = inside ?? (quoteOf(line) === "" ? "" : "> ")
  }
  const open = fence
  if (fence !== undefined && (opened || options.ended === true)) close(fence)
  if (added) out.trim()
  const unfinished = lines[last] !== ""
  const content = out.content()
  const taken = opening === "" ? content : out.with(opening)
  return {
    content,
    length: taken.length,
    lines: taken.split("\n").length,
    endsInTable,
    pieces: out.pieces,
    context: {
      fence: open,
      table,
      run,
      entries: around,
      within: unfinished ? (open === undefined ? (within ?? "") : "") : undefined
    }
  }
}

const writer = () => {
  const pieces: Array<Piece> = []
  let waiting: Array<number> = []
  let begun = false
  const push = (source: string, shown: string) => {
    if (source !== "" || shown !== "") pieces.push({ source, shown })
  }
  return {
    pieces,
    begun: () => begun,
    /** Without the line break at the end of the text. */
    trim: () => {
      const index = pieces.findLastIndex(({ source }) => source !== "")
      const { shown = "", source = "" } = pieces[index] ?? {}
      if (source.endsWith("\n")) pieces[index] = { source: source.slice(0, -1), shown }
    },
    /** White space that is shown as soon as something follows it. */
    wait: (source: string) => {
      if (source === "") return
      if (begun) waiting.push(pieces.length)
      push(source, "")
    },
    /** What waits is not shown. */
    drop: () => {
      waiting = []
    },
    hide: (source: string) => push(source, ""),
    show: (shown: string, source: string) => {
      for (const index of waiting) {
        const { source } = pieces[index] ?? { source: "" }
        pieces[index] = { source, shown: source }
      }
      waiting = []
      begun = true
      push(source, shown)
    },
    /** A mark that follows at once, whatever waits. */
    end: (shown: string) => {
      waiting = []
      push("", shown)
    },
    /** What it would be with one thing more. */
    with: (shown: string) =>
      `${pieces.map((piece, index) => (waiting.includes(index) ? piece.source : piece.shown)).join("")}${shown}`.trim(),
    content: () =>
      sendable(
        pieces
          .map(({ shown }) => shown)
          .join("")
          .trim()
      )
  }
}

/** The header and the rule of a table that begins at a line; the rule has to be complete. */
const headAt = (lines: ReadonlyArray<string>, at: number, run: Context["run"]): Tables.Head | undefined => {
  const [header = "", rule = ""] = lines.slice(at, at + 2)
  const is = run === undefined && at + 1 < lines.length - 1 && Tables.isRow(header) && Tables.isRule(rule)
  return is ? { header, rule } : undefined
}
