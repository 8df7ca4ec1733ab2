import * as CallOptions from "@heddle/core/CallOptions"
import { NewTask, TaskId, type TaskSummary } from "@heddle/core/domain/Task"
import type { Scope } from "@heddle/core/domain/Scope"
import { InsufficientScope, type OpenApiError } from "@heddle/core/OpenApiError"
import * as Reconciliation from "@heddle/core/Reconciliation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../access/Accounts.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import type { GuildSettings } from "../store/GuildSettings.ts"
import { type Request, Requests } from "../store/Requests.ts"
import * as TaskAgent from "./TaskAgent.ts"

/** What is known about the creation of a request's task. */
export type Creation =
  | { readonly _tag: "Created"; readonly task: Pick<TaskSummary, "agent" | "name" | "taskId"> }
  /** The service's answer was lost. `candidates`: tasks of the person that may be the created one. */
  | { readonly _tag: "Unknown"; readonly candidates: ReadonlyArray<TaskSummary> }

/**
 * Creates the task of a request, unless the grant is known to lack a scope that tasks need. Stores beforehand that this
 * is sent; after a lost answer, looks for the task.
 */
export const create = Effect.fn("TaskCreation.create")(function* (
  request: Request
): Effect.fn.Return<Creation, OpenApiError | TaskAgent.AgentNotOffered, Accounts | GuildSettings | Requests> {
  const { createSentAt, name, openId, prompt, requestId, userId } = request
  const requests = yield* Requests
  const accounts = yield* Accounts
  const required = yield* accounts.missingScopes(userId, taskScopes)
  if (required.length > 0)
    return yield* new InsufficientScope({ code: "insufficient_scope", description: "", required })
  const agent = yield* TaskAgent.choose(request)
  const keepsKeys = yield* keepsIdempotencyKeys(request)
  const now = yield* Clock.currentTimeMillis
  const isFirst = createSentAt === undefined
  const earlierTasks = isFirst ? yield* readEarlier({ ...request, createSentAt: now }) : request.earlierTasks
  yield* requests.markCreateSent(requestId, now, { agent, earlierTasks })
  const newTask = new NewTask({
    prompt,
    initialPrompt: "hold",
    ...(name === undefined ? {} : { name }),
    ...(agent === "" ? {} : { agent })
  })
  return yield* accounts
    .use(userId, ({ tasks }) => tasks.create(newTask, { idempotencyKey: requestId }), openId)
    .pipe(
      Effect.map((task): Creation => ({ _tag: "Created", task })),
      Effect.catchAll((error) => {
        if (mayHaveCreated(error)) return find({ ...request, createSentAt: createSentAt ?? now, earlierTasks })
        // A refusal says nothing of an earlier creation, except where both have the same key.
        const isRefused = keepsKeys || isFirst
        return Effect.zipRight(isRefused ? requests.clearCreateSent(requestId) : Effect.void, Effect.fail(error))
      })
    )
})

/** The tasks that are there already and could be taken for the one of the request; undefined where none can be read. */
const readEarlier = (request: LostRequest) =>
  Effect.flatMap(Accounts, ({ use }) =>
    use(request.userId, ({ tasks }) => tasks.list({ size: 100 }), request.openId)
  ).pipe(
    CallOptions.with({ retry: "none", timeout: "5 seconds" }),
    Effect.map(({ tasks }) => Reconciliation.findLostTask(lostTask(request), tasks).candidates),
    Effect.map((like) => like.map(({ taskId }): string => taskId)),
    Effect.catchAll((error) =>
      Effect.as(Effect.logInfo("The tasks before a creation could not be read", error.message), undefined)
    )
  )

/** The scopes of a task: to run it, and to read what it does. */
const taskScopes: ReadonlyArray<Scope> = ["user.task.readable", "user.task.invokable"]

/** Whether the service confirms that it holds the prompt of a created task; false when it cannot be asked. */
export const isPromptHeld = Effect.fn("TaskCreation.isPromptHeld")(({ openId, taskId = "", userId }: Request) =>
  Effect.flatMap(Accounts, ({ use }) => use(userId, ({ tasks }) => tasks.get(TaskId.make(taskId)), openId)).pipe(
    CallOptions.with({ retry: "none", timeout: "5 seconds" }),
    Effect.map(({ initialPrompt }) => initialPrompt === "hold"),
    Effect.orElseSucceed(() => false)
  )
)

/** Whether a lost creation may be sent again: its person wants it, or the service keeps its key. */
export const mayRepeat = Effect.fn("TaskCreation.mayRepeat")(function* (request: LostRequest) {
  return request.sendsAgain || (yield* keepsIdempotencyKeys(request))
})

/** Whether the creation was sent and its task is not known. */
export const isLost = (request: Request): request is LostRequest =>
  request.createSentAt !== undefined && request.taskId === undefined

/** Looks for the task of a lost creation several times, because the service may still be at work on it. */
export const find = Effect.fn("TaskCreation.find")(
  (request: LostRequest): Effect.Effect<Creation, OpenApiError, Accounts | Requests> =>
    RetrySchedules.repeatWhile(look(request), ({ _tag }) => _tag === "Unknown", RetrySchedules.lostAnswer)
)

/** Whether the service is known to keep the keys, so that a creation may be sent again under its key. */
const keepsIdempotencyKeys = ({ openId, userId }: Request) =>
  Effect.flatMap(Accounts, ({ use }) => use(userId, ({ tasks }) => tasks.keepsIdempotencyKeys, openId))

/** A request whose creation was sent and whose task is not known. */
type LostRequest = Request & { readonly createSentAt: number }

const look = (request: LostRequest) =>
  Effect.gen(function* () {
    const requests = yield* Requests
    const accounts = yield* Accounts
    const { earlierTasks, openId, requestId, userId } = request
    const otherIds = [...(yield* requests.taskIdsOf(userId)), ...(earlierTasks ?? [])]
    const except = otherIds.map((taskId) => TaskId.make(taskId))
    const found = yield* accounts.use(userId, ({ tasks }) => tasks.reconcile({ ...lostTask(request), except }), openId)
    const others = (yield* requests.withoutTask(userId)).filter((other) => other.requestId !== requestId)
    // Only the person can tell whose task it is where it fits two requests, or may have been there before.
    const isOwn = (task: TaskSummary) =>
      earlierTasks !== undefined && !others.some((other) => isLost(other) && fits(other, task))
    const own = Option.filter(found.task, isOwn)
    return Option.match(own, {
      onNone: (): Creation => ({ _tag: "Unknown", candidates: found.candidates }),
      onSome: (task): Creation => ({ _tag: "Created", task })
    })
  }).pipe(
    CallOptions.with({ retry: "none", timeout: "5 seconds" }),
    Effect.catchIf(
      ({ _tag }) => _tag !== "Reauthorize",
      (error) =>
        Effect.as(Effect.logInfo("A task could not be looked for", error.message), {
          _tag: "Unknown",
          candidates: []
        } satisfies Creation)
    )
  )

const lostTask = ({ createSentAt, name, prompt }: LostRequest) => ({ prompt, name, since: createSentAt })

/** Whether a task has the name and the time of a request. */
const fits = (request: LostRequest, task: TaskSummary): boolean => {
  const lost = lostTask(request)
  return Reconciliation.findLostTask({ ...lost, name: lost.name ?? lost.prompt }, [task]).candidates.length > 0
}

/** Whether an error leaves open that the task was created. */
const mayHaveCreated = ({ _tag }: OpenApiError): boolean => _tag === "OutcomeUnknown" || _tag === "ContractViolation"
