import type * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import { sanitize } from "../text/Sanitize.ts"

/** The text of an answer: the labels of the chosen options, or the written text. */
export const answerText = (
  { kind, options }: Question.Question,
  answer: Question.Value,
  { requestCards }: Pick<Messages, "requestCards">
): string =>
  (typeof answer === "object" ? answer : [answer])
    .map((value) => {
      if (kind === "boolean") return value === true || value === "true" ? requestCards.yes : requestCards.no
      const number = options.findIndex((option) => option.value === value)
      const label = options[number]?.label
      return label === undefined ? String(value) : sanitize(label) === "" ? requestCards.option(number + 1) : label
    })
    .join(", ")
