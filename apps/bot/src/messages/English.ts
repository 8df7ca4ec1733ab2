import { assemble } from "./Assemble.ts"
import * as texts from "./english/Texts.ts"
import { plain } from "../text/Escape.ts"

/** The English texts. Commands in backticks become mentions where they are registered. */
export const english = {
  ...assemble(texts),
  /** The separator of two sentences. */
  between: " ",
  request: (id: string) => `request ${plain(id)}`
}
