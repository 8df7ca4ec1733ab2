import type * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"

/** An answer as a reader knows it: the labels of what was chosen, or the words that were written. */
export const words = (
  { kind, options }: Question.Question,
  given: Question.Value,
  { asked }: Pick<Messages, "asked">
): string =>
  (typeof given === "object" ? given : [given])
    .map((value) => {
      if (kind === "boolean") return value === true || value === "true" ? asked.yes : asked.no
      return options.find((option) => option.value === value)?.label ?? String(value)
    })
    .join(", ")
