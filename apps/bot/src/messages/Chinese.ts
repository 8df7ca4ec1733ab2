import { assemble } from "./Assemble.ts"
import * as texts from "./chinese/Texts.ts"
import { plain } from "../text/Escape.ts"
import type { Messages } from "./Messages.ts"

/** The texts in Simplified Chinese. */
export const chinese: Messages = {
  ...assemble(texts),
  between: "",
  request: (id) => `请求编号 ${plain(id)}`
}
