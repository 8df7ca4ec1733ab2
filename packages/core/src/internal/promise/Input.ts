import * as Schema from "effect/Schema"
import { MessageId, PermissionResponse } from "../../domain/AssistantMessage.ts"
import { NewTask, TaskId } from "../../domain/Task.ts"
import type { LostTask } from "../../Reconciliation.ts"
import type * as Models from "./Models.ts"

/** What callers hand in, checked where a wrong value would mean another request; the error never shows the value. */
export const text = (name: string, value: unknown): string => {
  if (typeof value !== "string") throw new TypeError(`${name} must be a string`)
  return value
}

export const taskId = (value: unknown): TaskId => TaskId.make(filled("taskId", value))

export const messageId = (value: unknown): MessageId => MessageId.make(filled("messageId", value))

export const newTask = ({ initialPrompt, name, prompt }: Models.NewTask): NewTask =>
  new NewTask({
    prompt: text("prompt", prompt),
    ...(name === undefined ? {} : { name: text("name", name) }),
    ...(initialPrompt === undefined ? {} : { initialPrompt })
  })

export const permissionResponse = (response: Models.PermissionResponse): PermissionResponse => {
  // Whoever cancels answers nothing.
  const complete = { ...response, answers: response.answers ?? {} }
  if (!isPermissionResponse(complete)) {
    throw new TypeError("a permission response has an outcome, a requestId and answers of strings or lists of strings")
  }
  return new PermissionResponse(complete)
}

export const lostTask = ({ clockSkewMs, except = [], name, prompt, since }: Models.LostTask): LostTask => {
  if (!Number.isFinite(Number(since))) throw new TypeError("since must be a valid date or epoch milliseconds")
  return {
    prompt: text("prompt", prompt),
    ...(name === undefined ? {} : { name: text("name", name) }),
    since,
    ...(clockSkewMs === undefined ? {} : { clockSkew: clockSkewMs }),
    except: Array.from(except, taskId)
  }
}

/** A page of a list, without the fields that are undefined. */
export const page = <K extends string>(query: { readonly [name in K]?: number | undefined } | undefined) =>
  Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== undefined)) as {
    readonly [name in K]?: number
  }

const filled = (name: string, value: unknown): string => {
  if (text(name, value) === "") throw new TypeError(`${name} must not be empty`)
  return text(name, value)
}

const isPermissionResponse = Schema.is(Schema.Struct(PermissionResponse.fields))
