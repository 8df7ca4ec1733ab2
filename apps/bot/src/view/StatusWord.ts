import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import { oneLine } from "../text/Truncate.ts"

/** The name of a task status; an unknown status keeps its own name. */
export const statusName = ({ statusWords }: Messages, status: string): string =>
  Object.entries(statusWords).find(([known]) => known === status)?.[1] ?? plain(oneLine(status, 40))
