import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Channel } from "../../domain/Channel.ts"
import type * as Domain from "../../domain/Task.ts"
import type { Reconciliation } from "../../Reconciliation.ts"
import * as Models from "./Models.ts"

/** A task whose token shows only when asked. */
export const task = ({ token, ...rest }: Domain.Task): Models.Task => ({
  ...rest,
  ...(token === undefined ? {} : { token: new Models.Secret(Redacted.value(token)) })
})

export const taskPage = ({ pagination, tasks, total }: Domain.TaskPage): Models.TaskPage => ({
  tasks: tasks.map(model),
  total,
  pagination
})

export const channel = ({ token, ...rest }: Channel): Models.Channel => ({
  ...rest,
  token: new Models.Secret(Redacted.value(token))
})

export const reconciliation = ({ candidates, task }: Reconciliation): Models.Reconciliation => ({
  ...Option.match(task, { onNone: () => ({}), onSome: (task) => ({ task: model(task) }) }),
  candidates: candidates.map(model)
})

/** A model without its class: only its fields. */
export const model = <A extends object>(model: A): { readonly [K in keyof A]: A[K] } => ({ ...model })
