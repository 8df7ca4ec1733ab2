import { isLabel, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Clause } from "./Clause.ts"
import { withoutCourtesies } from "./Courtesy.ts"
import { alt, many, opt, seq, type Parser } from "./Grammar.ts"
import { partFor, type ParsedRequest, type Part, type Subject } from "./Intent.ts"
import { resolve, type Refusal } from "./Resolve.ts"
import { Scanner } from "./Scanner.ts"
import { tableGrammar } from "./TableGrammar.ts"
import { textGrammar } from "./TextGrammar.ts"

/**
 * Parses a request about data. Every word must belong to the request, or be one of a few that ask for nothing;
 * otherwise nothing is calculated, and the reason names the words.
 */
export const parseRequest = (request: string, subject: Subject): ParsedRequest => {
  const asked = withoutCourtesies(unquoted(request.replace(/<[@#][!&]?\d+>/g, " ")))
  if (asked === "") return { kind: "parts", parts: [partFor({ kind: "profile" })] }
  const table = subject.kind === "table" ? subject.table : undefined
  const scanner = new Scanner(asked, table, subject.name)
  if (asked.length > MAX_LENGTH) return { kind: "cannot", reason: notUnderstood(scanner, table) }
  const introduction: Parser<unknown> = alt<unknown>(
    scanner.word("next", "and"),
    opt(seq(many(alt<unknown>(scanner.word("thing"), scanner.fileName)), alt(scanner.comma, scanner.stop)))
  )
  if (subject.kind !== "table") {
    const [reading] = seq(introduction, textGrammar(scanner, subject.kind), scanner.end)(0)
    const parts = reading?.[0][1]
    if (parts === undefined) return { kind: "cannot", reason: notUnderstood(scanner, table) }
    return parts === "help" ? { kind: "help" } : { kind: "parts", parts }
  }
  const clauses = seq(introduction, tableGrammar(scanner, subject.table, subject.isFromJson))(0)
  const complete = clauses.filter(([, end]) => scanner.end(end).length > 0).map(([[, each]]) => each)
  const understood = Math.max(0, ...clauses.map(([, end]) => end))
  return chosen(complete, subject.table) ?? { kind: "cannot", reason: notUnderstood(scanner, table, understood) }
}

/** The first reading that can be done, or why the first one cannot. */
const chosen = (readings: ReadonlyArray<ReadonlyArray<Clause>>, table: Table): ParsedRequest | undefined => {
  let refusal: Refusal | undefined
  for (const clauses of readings) {
    if (clauses.every(({ kind }) => kind === "help")) return { kind: "help" }
    const parts: Array<Part> = []
    const problem = clauses
      .map((clause) => {
        const resolved = resolve(clause, table)
        if ("refusal" in resolved) return resolved
        parts.push(...resolved)
        return undefined
      })
      .find((each) => each !== undefined)
    if (problem === undefined) return { kind: "parts", parts }
    refusal ??= problem
  }
  return refusal === undefined
    ? undefined
    : {
        kind: "cannot",
        reason: `${refusal.refusal}${Language.text(" So I calculated nothing.", "所以什么也没有计算。")}`
      }
}

/** A longer request is no request, in UTF-16 units. */
const MAX_LENGTH = 600

/** A text that is one quotation, as a pasted suggestion is, without its marks. */
const unquoted = (text: string): string =>
  (
    /^\s*["“”„「']([^"“”„「」]+)["“”」'’][\s.?!。！？]*$/.exec(text) ?? /^\s*“([^“”]+)”[\s.?!。！？]*$/.exec(text)
  )?.[1]?.trim() ?? text.trim()

/** Names the words that are no part of a request, or else what stands behind its understood beginning. */
const notUnderstood = (scanner: Scanner, table: Table | undefined, understood = 0): string => {
  const ambiguous = [...scanner.names.ambiguous]
  const unknown = scanner.unknownWords().filter((each) => !scanner.names.ambiguous.has(each))
  if (unknown.length === 0 && ambiguous.length > 0)
    return ambiguous
      .map(([said, names]) => {
        const list = Markdown.joinWords(names.map(Markdown.bold), "or")
        return Language.text(
          `“${Markdown.escapeText(said)}” may be ${list}, so I calculated nothing.`,
          `“${Markdown.escapeText(said)}”可能是${list}，所以什么也没有计算。`
        )
      })
      .join(Language.text(" ", ""))
  const words =
    unknown.length > 0
      ? unknown
      : [scanner.source.written.slice(understood).replace(/^[\s,.;!?]+|[\s,.;!?]+$/g, "") || scanner.source.written]
  const quoted = Markdown.joinWords(
    words.slice(0, MAX_WORDS).map((each) => `“${Markdown.escapeText(each.trim(), 60)}”`)
  )
  const values = table === undefined ? "" : valuesHint(scanner.source.written, table)
  return unknown.length > 0
    ? Language.text(
        `I did not understand ${quoted}, so I calculated nothing.${values}`,
        `我没有看懂${quoted}，所以什么也没有计算。${values}`
      )
    : Language.text(
        `I did not understand what ${quoted} asks for here, so I calculated nothing.${values}`,
        `我没有看懂${quoted}在这里的意思，所以什么也没有计算。${values}`
      )
}

const MAX_WORDS = 8

/** The columns of the table, or the values of the column that a condition compares. */
const valuesHint = (asked: string, table: Table): string => {
  const compared = table.columns.find(
    (column) =>
      isLabel(column) &&
      column.labels.length > 0 &&
      new RegExp(`${column.name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}\\s*(?:is|=|为|是|等于)`, "i").test(asked)
  )
  const names = compared !== undefined && isLabel(compared) ? compared.labels : table.columns.map(({ name }) => name)
  const shown = names.slice(0, MAX_NAMES).map((name) => Markdown.escapeText(name))
  const more = names.length - shown.length
  const list = Markdown.joinWords(more > 0 ? [...shown, Language.text(`${more} more`, `另外 ${more} 个`)] : shown)
  if (compared === undefined) return Language.text(` The columns are ${list}.`, `数据的列有 ${list}。`)
  return Language.text(
    ` ${Markdown.bold(compared.name)} has the values ${list}.`,
    `${Markdown.bold(compared.name)} 的值有 ${list}。`
  )
}

const MAX_NAMES = 12
