import type { JsonData } from "../data/Json.ts"
import * as Markdown from "../format/Markdown.ts"

/** The shape of a JSON document, one block per element. */
export const profileJson = (json: JsonData, name: string): ReadonlyArray<string> => [
  `${Markdown.bold(name)} is a JSON document with ${Markdown.plural(json.shape.length, "different path")}${json.shape.length >= 200 ? " or more" : ""}.`,
  shapeTable(json)
]

/** The number of paths in an answer that is the table of paths alone. */
export const maxShapePaths = 60

/** The paths of a JSON document as a Markdown table. */
export const shapeTable = (json: JsonData, limit = 25): string => {
  const rows = json.shape
    .slice(0, limit)
    .map((line) => [Markdown.escapeText(line.path, 60), line.types.join(" or "), Markdown.integer(line.count)])
  const omittedCount = json.shape.length - limit
  return (
    Markdown.table(["Path", "Type", "Times"], rows) +
    (omittedCount > 0 ? `\n\n_${Markdown.plural(omittedCount, "more path")} left out._` : "")
  )
}
