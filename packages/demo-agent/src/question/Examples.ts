import type { Data } from "../data/DataFile.ts"
import type { Table } from "../data/Table.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Clause } from "./Clause.ts"
import { requestFor } from "./RequestText.ts"
import { parseRequest } from "./RequestParser.ts"
import { mainColumns } from "./Resolve.ts"

/** Complete requests about the data, in quotes; each of them is understood. */
export const examplesFor = (data: Data, limit: number): ReadonlyArray<string> => {
  const clauses = data.kind === "table" ? tableClauses(data.table) : [{ kind: "report" } as const]
  const table = data.kind === "table" ? data.table : EMPTY
  return clauses
    .map((clause) => requestFor(clause, table))
    .filter((request) => parseRequest(request, data).kind === "clauses")
    .slice(0, limit)
    .map((request) => `“${Markdown.escapeText(request, 200)}”`)
}

const EMPTY: Table = { columns: [], rowCount: 0, notes: [], leftOut: [] }

const tableClauses = (table: Table): ReadonlyArray<Clause> => {
  const { category, date, number } = mainColumns(table)
  const measured = number === undefined ? undefined : table.columns[number]
  const unit = measured?.kind === "number" ? measured.unitColumns[0] : undefined
  const words = category === undefined ? undefined : table.columns[category]
  const value =
    words?.kind === "text" ? words.labels.find((label) => label.length <= 30 && !label.includes('"')) : undefined
  return [
    ...(number !== undefined && (category ?? unit) !== undefined
      ? [
          { kind: "figures", measure: "sum", columns: [number], by: { column: category } } as const,
          { kind: "figures", measure: "sum", columns: [number], by: { column: unit } } as const
        ]
      : []),
    ...(number !== undefined && date !== undefined
      ? [{ kind: "chart", columns: [number], by: { column: date, step: "month" } } as const]
      : []),
    ...(category !== undefined
      ? [{ kind: "chart", measure: "count", columns: [], by: { column: category } } as const]
      : []),
    ...(category !== undefined && value !== undefined
      ? [{ kind: "rows", where: { column: category, operator: "is", value } } as const]
      : []),
    ...(number === undefined
      ? []
      : [{ kind: "rows", limit: 5, order: { column: number, isDescending: true } } as const]),
    ...(category === undefined || value === undefined
      ? []
      : [
          {
            kind: "figures",
            measure: "count",
            columns: [],
            where: { column: category, operator: "is", value }
          } as const
        ]),
    { kind: "rows", limit: 5 },
    { kind: "report" }
  ]
}
