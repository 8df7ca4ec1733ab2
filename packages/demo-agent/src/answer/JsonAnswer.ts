import type { JsonData } from "../data/Json.ts"
import * as Markdown from "../format/Markdown.ts"

/** The shape of a JSON document, one block per element. */
export const profileJson = (json: JsonData, name: string): ReadonlyArray<string> => [
  `${Markdown.bold(name)} is a JSON document with ${Markdown.plural(json.shape.length, "different path")}${json.shape.length >= 200 ? " or more" : ""}.`,
  shapeTable(json)
]

/** The paths of a JSON document as a Markdown table. */
export const shapeTable = (json: JsonData, limit = 25): string => {
  const rows = json.shape
    .slice(0, limit)
    .map((line) => [Markdown.cell(line.path, 60), line.types.join(" or "), Markdown.whole(line.times)])
  const left = json.shape.length - limit
  return (
    Markdown.table(["Path", "Type", "Times"], rows) +
    (left > 0 ? `\n\n_${Markdown.plural(left, "more path")} left out._` : "")
  )
}
