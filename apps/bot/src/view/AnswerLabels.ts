import type * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import { sanitize } from "../text/Sanitize.ts"

/** The text of an answer: the labels of the chosen options, or the written text. */
export const labelsOf = (
  { kind, options }: Question.Question,
  given: Question.Value,
  { requestCards }: Pick<Messages, "requestCards">
): string =>
  (typeof given === "object" ? given : [given])
    .map((value) => {
      if (kind === "boolean") return value === true || value === "true" ? requestCards.yes : requestCards.no
      const number = options.findIndex((option) => option.value === value)
      const label = options[number]?.label
      return label === undefined ? String(value) : sanitize(label) === "" ? requestCards.option(number + 1) : label
    })
    .join(", ")
