import type { DurationInput } from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Simplify } from "effect/Types"
import type { Poll } from "../../Assistant.ts"
import { MessageId, PermissionResponse } from "../../domain/AssistantMessage.ts"
import { NewTask, TaskId } from "../../domain/Task.ts"
import type { LostTask } from "../../Reconciliation.ts"
import type { Primitive, Unbranded } from "./Plain.ts"

/**
 * The plain form of a service's parameter: strings for brands and secrets, plain objects for models, and
 * milliseconds under the name `…Ms` for durations. A field is optional if an empty object is a valid value.
 */
export type PlainInput<A> = unknown extends A
  ? A
  : A extends Primitive
    ? Unbranded<A>
    : A extends Redacted.Redacted<infer Value>
      ? Value
      : A extends Date
        ? A
        : A extends ReadonlyArray<infer Item>
          ? ReadonlyArray<PlainInput<Item>>
          : A extends Iterable<infer Item>
            ? Iterable<PlainInput<Item>>
            : PlainInputObject<A>

type PlainInputObject<A> = string extends keyof A
  ? { readonly [K in keyof A]: PlainInput<A[K]> }
  : Simplify<
      {
        readonly [K in keyof A as IsOptional<A, K> extends true ? never : FieldName<A, K>]: Field<A[K]>
      } & {
        readonly [K in keyof A as IsOptional<A, K> extends true ? FieldName<A, K> : never]?:
          | Field<NonNullable<A[K]>>
          | undefined
      }
    >

type IsOptional<A, K extends keyof A> = {} extends Pick<A, K> ? true : {} extends A[K] ? true : false

type IsDuration<A> = [DurationInput] extends [NonNullable<A>] ? true : false

type FieldName<A, K extends keyof A> = IsDuration<A[K]> extends true ? `${K & string}Ms` : K

type Field<A> = IsDuration<A> extends true ? number : PlainInput<A>

/** Makes a check that a value is a string, since another value would change the request. The error never shows it. */
export const text =
  (name: string) =>
  (value: unknown): string => {
    if (typeof value !== "string") throw new TypeError(`${name} must be a string`)
    return value
  }

const nonEmptyText = (name: string) => {
  const read = text(name)
  return (value: unknown): string => {
    if (read(value) === "") throw new TypeError(`${name} must not be empty`)
    return read(value)
  }
}

export const secret = (name: string) => {
  const read = text(name)
  return (value: unknown): Redacted.Redacted => Redacted.make(read(value))
}

export const taskId = (value: unknown): TaskId => TaskId.make(nonEmptyText("taskId")(value))

export const messageId = (value: unknown): MessageId => MessageId.make(nonEmptyText("messageId")(value))

export const newTask = ({ agent, initialPrompt, name, prompt }: PlainInput<NewTask>): NewTask =>
  new NewTask({
    prompt: text("prompt")(prompt),
    ...omitUndefined({
      name: name === undefined ? name : text("name")(name),
      initialPrompt,
      agent: agent === undefined ? agent : text("agent")(agent)
    })
  })

export const permissionResponse = (response: PlainInput<PermissionResponse>): PermissionResponse => {
  // A cancellation has no answers.
  const withAnswers = { ...response, answers: response.answers ?? {} }
  if (!isPermissionResponse(withAnswers)) {
    throw new TypeError("a permission response has an outcome, a requestId and answers of strings or lists of strings")
  }
  return new PermissionResponse(withAnswers)
}

export const lostTask = ({ clockSkewMs, except = [], name, prompt, since }: PlainInput<LostTask>): LostTask => {
  if (!Number.isFinite(Number(since))) throw new TypeError("since must be a valid date or epoch milliseconds")
  return {
    prompt: text("prompt")(prompt),
    since,
    except: Array.from(except, taskId),
    ...omitUndefined({ name: name === undefined ? name : text("name")(name), clockSkew: clockSkewMs })
  }
}

export const voucher = ({ code, key }: { readonly key: string; readonly code: string }) => ({
  key: secret("key")(key),
  code: secret("code")(code)
})

export const messagePageOptions = ({
  limit,
  offset
}: PlainInput<{ readonly limit?: number; readonly offset?: number }>) => omitUndefined({ limit, offset })

export const taskPageOptions = ({ page, size }: PlainInput<{ readonly page?: number; readonly size?: number }>) =>
  omitUndefined({ page, size })

export const pollOptions = ({ poll = {} }: PlainInput<{ readonly poll?: Poll }>): { readonly poll: Poll } => ({
  poll: omitUndefined({ initialInterval: poll.initialIntervalMs, maxInterval: poll.maxIntervalMs })
})

export const writeOptions = ({ idempotencyKey }: { readonly idempotencyKey?: string | undefined }) =>
  idempotencyKey === undefined ? {} : { idempotencyKey: text("idempotencyKey")(idempotencyKey) }

/** Leaves out the fields that are undefined. */
const omitUndefined = <A extends object>(fields: A): { readonly [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof A]?: Exclude<A[K], undefined>
  }

const isPermissionResponse = Schema.is(Schema.Struct(PermissionResponse.fields))
