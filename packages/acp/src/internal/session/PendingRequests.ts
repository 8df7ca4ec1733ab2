import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { AlreadyAnswered, type AnswerNotDelivered, InvalidChoice } from "../../AcpError.ts"
import type * as JsonRpc from "../../JsonRpc.ts"
import * as Permission from "../../Permission.ts"
import type { SessionEvent, Withdrawal } from "../../SessionEvent.ts"
import { UndeliveredAnswers } from "./UndeliveredAnswers.ts"

/** What PendingRequests needs from its session. */
export interface Options {
  /** How long a person has to answer where the agent does not say it. */
  readonly deadline: Duration.DurationInput
  /** Whether a request that the service marks as repeated gets the answer that may be lost. */
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
  /** The service refuses the answer to this message. */
  readonly undelivered: (message: JsonRpc.Request) => void
  /** Answers a request, and waits until the service has taken the answer. */
  readonly answer: (
    requestId: string,
    answer: Permission.Answer
  ) => Effect.Effect<void, AlreadyAnswered | InvalidChoice | AnswerNotDelivered>
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

  const publishLost = (lost: ReadonlyArray<Permission.PermissionRequest>) => {
    for (const permission of lost) publish({ _tag: "PermissionWithdrawn", permission, reason: "connection" })
  }

  /** The agent takes back a request, or its connection is gone: an answer that was just given does not go out. */
  const interrupted = (pending: Pending) =>
    Effect.sync(() => {
      withdraw(pending, Permission.cancelled, "agent")
      undelivered.undeliverable(pending.message)
    })

  return {
    add: (request, message) => {
      const redelivered = undelivered.takeFor(request, message)
      requestOf.set(message, redelivered?.request ?? request)
      if (redelivered !== undefined) return Effect.succeed(Permission.toResult(request, redelivered.answer))
      const pending: Pending = { request, message, answer: Deferred.unsafeMake(FiberId.none) }
      open.set(request.requestId, pending)
      notifyChanged()
      publish({ _tag: "PermissionRequested", permission: request })
      return Effect.onInterrupt(result(pending, deadline, withdraw), () => interrupted(pending))
    },
    delivered: (message) => {
      const request = requestOf.get(message)
      if (request === undefined) return
      undelivered.delivered(message)
      publish({ _tag: "PermissionAnswered", permission: request })
    },
    undelivered: (message) => undelivered.undeliverable(message),
    answer: (requestId, answer) =>
      Effect.gen(function* () {
        const pending = open.get(requestId)
        if (pending === undefined) return yield* new AlreadyAnswered({ requestId })
        const description = Permission.problem(pending.request, answer)
        if (description !== undefined) return yield* new InvalidChoice({ requestId, description })
        const outcome = yield* Deferred.make<void, AnswerNotDelivered>()
        undelivered.add({
          ...pending,
          answer,
          outcome,
          isRepeatable: repeatAnswers && pending.request.repeatId !== undefined
        })
        settle(pending, answer)
        return yield* Deferred.await(outcome)
      }).pipe(Effect.withSpan("AcpSession.answerPermission")),
    cancelAll: () => {
      for (const pending of open.values()) settle(pending, Permission.cancelled)
    },
    connectionLost: () => {
      publishLost(undelivered.connectionLost())
      withdrawAll("connection")
    },
    endRepeatWindow: () => publishLost(undelivered.endRepeatWindow()),
    turnEnded: () => {
      undelivered.turnEnded()
      withdrawAll("turn")
    }
  }
}

interface Pending {
  readonly request: Permission.PermissionRequest
  readonly message: JsonRpc.Request
  readonly answer: Deferred.Deferred<Permission.Answer>
}

/** The result of a request: the person's answer, or what stands for it at the deadline. */
const result = (
  pending: Pending,
  deadline: Duration.DurationInput,
  withdraw: (pending: Pending, answer: Permission.Answer, reason: Withdrawal) => void
): Effect.Effect<unknown> =>
  Effect.clockWith((clock) => {
    const { expiresAt } = pending.request
    return Effect.timeoutTo(Deferred.await(pending.answer), {
      duration: expiresAt === undefined ? deadline : Math.max(0, expiresAt - clock.unsafeCurrentTimeMillis()),
      onSuccess: (value) => value,
      onTimeout: () => {
        withdraw(pending, Permission.expired, "expired")
        return Permission.expired
      }
    })
  }).pipe(Effect.map((value) => Permission.toResult(pending.request, value)))
