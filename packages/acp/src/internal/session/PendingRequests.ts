import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { AlreadyAnswered, InvalidChoice } from "../../AcpError.ts"
import type * as JsonRpc from "../../JsonRpc.ts"
import * as Permission from "../../Permission.ts"
import type { SessionEvent, Withdrawal } from "../../SessionEvent.ts"
import { UndeliveredAnswers } from "./UndeliveredAnswers.ts"

/** What PendingRequests needs from its session. */
export interface Options {
  /** How long a person has to answer. */
  readonly deadline: Duration.DurationInput
  /** Whether a repeated request gets the answer that may be lost. */
  readonly repeatAnswers: boolean
  readonly changed: (open: ReadonlyArray<Permission.PermissionRequest>) => void
  readonly publish: (event: PermissionEvent) => void
}

type PermissionEvent = Extract<SessionEvent<never>, { readonly permission: unknown }>

/** The requests of the agent that wait for a person; each is answered at most once. */
export interface PendingRequests {
  /** Shows a request to the person; the effect is its result. */
  readonly add: (request: Permission.PermissionRequest, message: JsonRpc.Request) => Effect.Effect<unknown>
  /** The agent has the answer to this message. */
  readonly delivered: (message: JsonRpc.Request) => void
  readonly answer: (
    requestId: string,
    answer: Permission.Answer
  ) => Effect.Effect<void, AlreadyAnswered | InvalidChoice>
  /** Answers all as cancelled: the person stopped the turn. */
  readonly cancelAll: () => void
  /** Withdraws all: their connection was lost. */
  readonly connectionLost: () => void
  /** The time in which the agent repeats requests on a new connection is over. */
  readonly endRepeatWindow: () => void
  /** Withdraws all: their turn is over. */
  readonly turnEnded: () => void
}

/** Makes a PendingRequests without requests. */
export const make = ({ changed, deadline, publish, repeatAnswers }: Options): PendingRequests => {
  const open = new Map<string, Pending>()
  const undelivered = new UndeliveredAnswers()
  const requestOf = new WeakMap<JsonRpc.Request, Permission.PermissionRequest>()

  const notifyChanged = () => changed([...open.values()].map(({ request }) => request))

  /** Removes a request and completes its answer; false when it is no longer open. */
  const settle = (pending: Pending, answer: Permission.Answer): boolean => {
    if (open.get(pending.request.requestId) !== pending) return false
    open.delete(pending.request.requestId)
    notifyChanged()
    Deferred.unsafeDone(pending.answer, Effect.succeed(answer))
    return true
  }

  const withdraw = (pending: Pending, answer: Permission.Answer, reason: Withdrawal) => {
    if (settle(pending, answer)) publish({ _tag: "PermissionWithdrawn", permission: pending.request, reason })
  }

  const withdrawAll = (reason: Withdrawal) => {
    for (const pending of open.values()) withdraw(pending, Permission.cancelled, reason)
  }

  return {
    add: (request, message) => {
      const { requestId: _, ...content } = request
      const fingerprint = JSON.stringify(content)
      const redelivered = undelivered.takeFor(fingerprint)
      requestOf.set(message, redelivered?.request ?? request)
      if (redelivered !== undefined) return Effect.succeed(Permission.toResult(request, redelivered.answer))
      const pending: Pending = { request, fingerprint, answer: Deferred.unsafeMake(FiberId.none) }
      open.set(request.requestId, pending)
      notifyChanged()
      publish({ _tag: "PermissionRequested", permission: request })
      return result(pending, deadline, withdraw)
    },
    delivered: (message) => {
      const request = requestOf.get(message)
      if (request === undefined) return
      undelivered.delivered(request)
      publish({ _tag: "PermissionAnswered", permission: request })
    },
    answer: Effect.fn("AcpSession.answerPermission")(function* (requestId: string, answer: Permission.Answer) {
      const pending = open.get(requestId)
      if (pending === undefined) return yield* new AlreadyAnswered({ requestId })
      const description = Permission.problem(pending.request, answer)
      if (description !== undefined) return yield* new InvalidChoice({ requestId, description })
      undelivered.add({ request: pending.request, fingerprint: pending.fingerprint, answer })
      settle(pending, answer)
    }),
    cancelAll: () => {
      for (const pending of open.values()) settle(pending, Permission.cancelled)
    },
    connectionLost: () => {
      if (!repeatAnswers) {
        for (const permission of undelivered.requests())
          publish({ _tag: "PermissionWithdrawn", permission, reason: "connection" })
        undelivered.clear()
      }
      undelivered.connectionLost([...open.values()].map(({ fingerprint }) => fingerprint))
      withdrawAll("connection")
    },
    endRepeatWindow: () => undelivered.endRepeatWindow(),
    turnEnded: () => {
      undelivered.clear()
      withdrawAll("turn")
    }
  }
}

interface Pending {
  readonly request: Permission.PermissionRequest
  readonly fingerprint: string
  readonly answer: Deferred.Deferred<Permission.Answer>
}

/** The result of a request: the person's answer, or what stands for it at the deadline. */
const result = (
  pending: Pending,
  deadline: Duration.DurationInput,
  withdraw: (pending: Pending, answer: Permission.Answer, reason: Withdrawal) => void
): Effect.Effect<unknown> =>
  Deferred.await(pending.answer).pipe(
    Effect.timeoutTo({
      duration: deadline,
      onSuccess: (value) => value,
      onTimeout: () => {
        withdraw(pending, Permission.expired, "expired")
        return Permission.expired
      }
    }),
    Effect.map((value) => Permission.toResult(pending.request, value)),
    Effect.onInterrupt(() => Effect.sync(() => withdraw(pending, Permission.cancelled, "agent")))
  )
