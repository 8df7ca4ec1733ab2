import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import { plainName } from "../text/PlainName.ts"
import * as Pager from "./Pager.ts"
import { statusName } from "./StatusWord.ts"

/** A person's task, with its thread if it has one. */
export interface ListedTask {
  readonly name: string
  readonly status: string
  /** Epoch milliseconds. */
  readonly createdAt: number | undefined
  readonly threadId: string | undefined
}

/** The number of tasks on a page. */
export const pageSize = 10

/** One page of a person's tasks, counted from 1. */
export const page = (tasks: ReadonlyArray<ListedTask>, at: Pager.Position, messages: Messages): MessageBody => ({
  content: "",
  embeds: [
    {
      title: messages.tasksTitle,
      description: tasks.map((task) => line(task, messages)).join("\n"),
      ...Pager.footer(at, messages)
    }
  ],
  rows: Pager.buttons(at, (number) => `l1:${number}`, messages)
})

const line = ({ createdAt, name, status, threadId }: ListedTask, messages: Messages): string => {
  const age = createdAt === undefined ? "" : ` · ${messages.startedAt(createdAt)}`
  const where = threadId === undefined ? "" : ` · <#${threadId}>`
  return `- **${plain(plainName(name, 80))}** · ${statusName(messages, status)}${age}${where}`
}
