import type { TaskSummary } from "@heddle/core/domain/Task"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import type { Component } from "../model/Post.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { statusName } from "./StatusWord.ts"

/** The choices of a person whose task may or may not have been created; `task` has a value, the id of a task. */
export type Choice = "look" | "send" | "task"

/** The custom id of a control. */
export const customId = (requestId: string, choice: Choice): string => `ts1:${requestId}:${choice}`

/** The request and the choice of a custom id. */
export const parse = (id: string): { readonly requestId: string; readonly choice: Choice } | undefined => {
  const [, requestId, choice] = pattern.exec(id) ?? []
  return requestId === undefined ? undefined : { requestId, choice: choice as Choice }
}

export const pattern = /^ts1:(\d+):(look|send|task)$/

/** Says that it is not known whether a task was started, with the tasks that it may be. */
export const view = (
  requestId: string,
  words: string,
  candidates: ReadonlyArray<TaskSummary>,
  messages: Messages
): MessageBody => {
  const { unknownStart } = messages
  const options = candidates
    .filter(({ taskId }) => taskId.length <= 100)
    .slice(0, 25)
    .map(({ name, status, taskId }) => ({
      value: taskId,
      label: truncate(oneLine(name ?? "", 100) || oneLine(taskId, 100), 100),
      description: truncate(statusName(messages, status), 100),
      isDefault: false
    }))
  const list: Component = {
    customId: customId(requestId, "task"),
    placeholder: unknownStart.choose,
    minValues: 1,
    maxValues: 1,
    options
  }
  return {
    content: options.length === 0 ? words : `${words}\n${unknownStart.candidates}`,
    rows: [
      ...(options.length === 0 ? [] : [[list]]),
      [
        { label: unknownStart.look, style: "primary", customId: customId(requestId, "look") },
        { label: unknownStart.send, style: "secondary", customId: customId(requestId, "send") }
      ]
    ]
  }
}
