import type { JsonData } from "../data/Json.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import * as TableWidth from "../format/TableWidth.ts"

/** The shape of a JSON document, one block per element. */
export const profileJson = (json: JsonData, name: string): ReadonlyArray<string> => [
  Language.text(
    `${Markdown.bold(name)} is a JSON document with ${Markdown.plural(json.shape.length, "different path")}${json.shape.length >= 200 ? " or more" : ""}.`,
    `${Markdown.bold(name)} 是 JSON 文档，有 ${Markdown.integer(json.shape.length)} 个${json.shape.length >= 200 ? "以上" : ""}不同的路径。`
  ),
  shapeTable(json)
]

/** The number of paths in an answer that is the table of paths alone. */
export const maxShapePaths = 60

/** The paths of a JSON document as a Markdown table. */
export const shapeTable = (json: JsonData, limit = 25): string => {
  const rows = json.shape
    .slice(0, limit)
    .map((line) => [line.path, line.types.join(Language.text(" or ", "或")), Markdown.integer(line.count)])
  const header = Language.pick({ english: ["Path", "Type", "Times"], chinese: ["路径", "类型", "次数"] })
  const omittedCount = json.shape.length - limit
  return (
    Markdown.table(header, TableWidth.fitFirst(header, rows, TableWidth.fitEnd)) +
    (omittedCount > 0
      ? `\n\n${Language.text(
          `_${Markdown.plural(omittedCount, "more path")} left out._`,
          `_另有 ${Markdown.integer(omittedCount)} 个路径未列出。_`
        )}`
      : "")
  )
}
