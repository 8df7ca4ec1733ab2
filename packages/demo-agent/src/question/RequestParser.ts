import type { Data } from "../data/DataFile.ts"
import type { Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Clause, ParsedRequest } from "./Clause.ts"
import { clauseGrammar } from "./ClauseGrammar.ts"
import { clauseParsers } from "./ClauseParsers.ts"
import { withoutCourtesies } from "./Courtesy.ts"
import { alt, many, opt, seq, type Parser } from "./Grammar.ts"
import { resolve } from "./Resolve.ts"
import { Scanner } from "./Scanner.ts"
import { unknownWords } from "./UnknownWords.ts"

/**
 * Parses a request about data: clauses joined by "then" or the end of a sentence. Every word must belong to one of
 * them, but for courtesies before and thanks behind; otherwise nothing is calculated, and the reason names the words.
 */
export const parseRequest = (request: string, data: Data): ParsedRequest => {
  const asked = unquoted(request.replace(/<[@#][!&]?\d+>/g, " "))
  const whole = parseAsked(asked, data)
  if (whole.kind === "clauses" || whole.isUnderstood) return whole
  const columns = data.kind === "table" ? data.table.columns : []
  const values = columns.flatMap((column) => (column.kind === "text" ? column.labels : []))
  const names = [data.name, ...columns.map(({ name }) => name)]
  const bare = withoutCourtesies(asked, names, new Set(values.map((value) => value.toLowerCase())))
  return bare === asked ? whole : parseAsked(unquoted(bare), data)
}

const parseAsked = (asked: string, data: Data): ParsedRequest => {
  if (asked === "") return { kind: "clauses", clauses: [{ kind: "report" }] }
  const table = data.kind === "table" ? data.table : NO_TABLE
  const scanner = new Scanner(asked.slice(0, MAX_LENGTH), table, data.name)
  if (asked.length > MAX_LENGTH) return refused(notUnderstood(scanner, table, data.name))
  const readings = message(scanner, table)(0).filter(([, end]) => scanner.isEnd(end))
  let refusal: string | undefined
  for (const [clauses] of readings) {
    const resolved: Array<Clause> = []
    for (const each of clauses) {
      const done = resolve(each, table)
      if ("refusal" in done) refusal ??= done.refusal
      else resolved.push(done)
    }
    if (
      resolved.length === clauses.length &&
      (data.kind === "table" || resolved.every(({ kind }) => kind === "report"))
    )
      return { kind: "clauses", clauses: resolved }
  }
  if (data.kind === "prose")
    return refused(Language.text("Of a text I can only make the report.", "对于文本，我只能做报告。"))
  return refusal === undefined ? refused(notUnderstood(scanner, table, data.name)) : refused(refusal, true)
}

const NO_TABLE: Table = { columns: [], rowCount: 0, notes: [], leftOut: [] }

/** A longer request is no request, in UTF-16 units. */
const MAX_LENGTH = 600

const message = (scanner: Scanner, table: Table): Parser<ReadonlyArray<Clause>> => {
  const parsers = clauseParsers(scanner, table)
  const next = parsers.word("next")
  const separator = alt<unknown>(seq(opt(scanner.comma), next), seq(scanner.stop, opt(next)))
  return many(clauseGrammar(scanner, parsers), separator)
}

const refused = (reason: string, isUnderstood = false): ParsedRequest => ({
  kind: "refused",
  reason: `${reason}${Language.text(" So I calculated nothing.", "所以什么也没有计算。")}`,
  isUnderstood
})

/** A text that is one quotation, as a pasted suggestion is, without its marks. */
const unquoted = (text: string): string =>
  (
    /^\s*[“"„「]([^"“”„「」]+)[”"」][\s.?!。！？]*$/.exec(text) ?? /^\s*“([^“”]+)”[\s.?!。！？]*$/.exec(text)
  )?.[1]?.trim() ?? text.trim()

/** Names the words that are no part of the language, or else what stands behind the understood beginning. */
const notUnderstood = (scanner: Scanner, table: Table, fileName: string): string => {
  const { written } = scanner.source
  const unknown = unknownWords(scanner.source, table, fileName)
  const rest = written.slice(scanner.understood).replace(/^[\s,.;!?。]+|[\s,.;!?。]+$/g, "")
  const words = unknown.length > 0 ? unknown : [rest === "" ? written : rest]
  const shown = words.slice(0, 8).map((each) => `“${Markdown.escapeText(each.trim(), 60)}”`)
  const quoted = Markdown.joinWords(shown)
  const hint = hintFor(scanner, table)
  if (unknown.length > 0) return Language.text(`I did not understand ${quoted}.${hint}`, `我没有看懂${quoted}。${hint}`)
  return rest === ""
    ? Language.text(`${quoted} is no complete request.${hint}`, `${quoted}不是完整的请求。${hint}`)
    : Language.text(
        `I did not understand what ${quoted} asks for here.${hint}`,
        `我没有看懂${quoted}在这里的意思。${hint}`
      )
}

/** The values of the column that is compared, or the columns of the table. */
const hintFor = ({ understood, wanted }: Scanner, table: Table): string => {
  const compared = wanted?.at === understood ? table.columns[wanted.column] : undefined
  const names = compared?.kind === "text" ? compared.labels : table.columns.map(({ name }) => name)
  const shown = names.slice(0, 12).map((name) => Markdown.escapeText(name))
  const more = names.length - shown.length
  const list = Markdown.joinWords(more > 0 ? [...shown, Language.text(`${more} more`, `另外 ${more} 个`)] : shown)
  return compared?.kind === "text"
    ? Language.text(
        ` **${Markdown.escapeText(compared.name)}** has the values ${list}.`,
        `**${Markdown.escapeText(compared.name)}** 的值有 ${list}。`
      )
    : Language.text(` The columns are ${list}.`, `数据的列有 ${list}。`)
}
