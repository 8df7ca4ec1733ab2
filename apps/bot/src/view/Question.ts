import type * as Question from "@heddle/acp/Question"
import { english as messages } from "../messages/Messages.ts"

/** An answer as a reader knows it: the labels of what was chosen, or the words that were written. */
export const words = ({ kind, options }: Question.Question, given: Question.Value): string =>
  (typeof given === "object" ? given : [given])
    .map((value) => {
      if (kind === "boolean") return value === true || value === "true" ? messages.asked.yes : messages.asked.no
      return options.find((option) => option.value === value)?.label ?? String(value)
    })
    .join(", ")
