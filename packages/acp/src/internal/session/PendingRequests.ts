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
export interface Context {
  /** How long a person has to answer where the agent does not say it. */
  readonly deadline: Duration.DurationInput
  /** Whether a request that the service marks as repeated gets the answer that may be lost. */
  readonly repeatAnswers: boolean
  changed(open: ReadonlyArray<Permission.PermissionRequest>): void
  publish(event: PermissionEvent): void
}

type PermissionEvent = Extract<SessionEvent<never>, { readonly permission: unknown }>

/** The requests of the agent that wait for a person; each is answered at most once. */
export class PendingRequests {
  readonly #context: Context
  readonly #open = new Map<string, Pending>()
  readonly #undelivered = new UndeliveredAnswers()
  #requestOf: WeakMap<JsonRpc.Request, Permission.PermissionRequest> | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** Shows a request to the person; the effect is its result. */
  add(request: Permission.PermissionRequest, message: JsonRpc.Request): Effect.Effect<unknown> {
    const redelivered = this.#undelivered.takeFor(request, message)
    this.#requestOf ??= new WeakMap()
    this.#requestOf.set(message, redelivered?.request ?? request)
    if (redelivered !== undefined) return Effect.succeed(Permission.toResult(request, redelivered.answer))
    const pending: Pending = { request, message, answer: Deferred.unsafeMake(FiberId.none) }
    this.#open.set(request.requestId, pending)
    this.#notifyChanged()
    this.#context.publish({ _tag: "PermissionRequested", permission: request })
    const onExpired = () => this.#withdraw(pending, Permission.expired, "expired")
    return Effect.onInterrupt(result(pending, this.#context.deadline, onExpired), () =>
      // The agent takes back the request, or its connection is gone: an answer that was just given does not go out.
      Effect.sync(() => {
        this.#withdraw(pending, Permission.cancelled, "agent")
        this.undelivered(message)
      })
    )
  }

  /** The agent has the answer to this message. */
  delivered(message: JsonRpc.Request): void {
    const request = this.#requestOf?.get(message)
    if (request === undefined) return
    this.#undelivered.delivered(message)
    this.#context.publish({ _tag: "PermissionAnswered", permission: request })
  }

  /** The service refuses the answer to this message. */
  undelivered(message: JsonRpc.Request): void {
    this.#undelivered.undeliverable(message)
  }

  /** Answers a request, and waits until the service has taken the answer. */
  answer(
    requestId: string,
    answer: Permission.Answer
  ): Effect.Effect<void, AlreadyAnswered | InvalidChoice | AnswerNotDelivered> {
    return Effect.gen(this, function* () {
      const pending = this.#open.get(requestId)
      if (pending === undefined) return yield* new AlreadyAnswered({ requestId })
      const description = Permission.problem(pending.request, answer)
      if (description !== undefined) return yield* new InvalidChoice({ requestId, description })
      const outcome = yield* Deferred.make<void, AnswerNotDelivered>()
      const isRepeatable = this.#context.repeatAnswers && pending.request.repeatId !== undefined
      this.#undelivered.add({ ...pending, answer, outcome, isRepeatable })
      this.#settle(pending, answer)
      return yield* Deferred.await(outcome)
    }).pipe(Effect.withSpan("AcpSession.answerPermission"))
  }

  /** Answers all as cancelled: the person stopped the turn. */
  cancelAll(): void {
    for (const pending of this.#open.values()) this.#settle(pending, Permission.cancelled)
  }

  /** Withdraws all: their connection was lost. */
  connectionLost(): void {
    this.#publishLost(this.#undelivered.connectionLost())
    this.#withdrawAll("connection")
  }

  /** The time in which the agent repeats requests on a new connection is over. */
  endRepeatWindow(): void {
    this.#publishLost(this.#undelivered.endRepeatWindow())
  }

  /** Withdraws all: their turn is over. */
  turnEnded(): void {
    this.#undelivered.turnEnded()
    this.#withdrawAll("turn")
  }

  /** Removes a request and completes its answer; false when it is no longer open. */
  #settle(pending: Pending, answer: Permission.Answer): boolean {
    if (this.#open.get(pending.request.requestId) !== pending) return false
    this.#open.delete(pending.request.requestId)
    this.#notifyChanged()
    Deferred.unsafeDone(pending.answer, Effect.succeed(answer))
    return true
  }

  #withdraw(pending: Pending, answer: Permission.Answer, reason: Withdrawal): void {
    if (!this.#settle(pending, answer)) return
    this.#context.publish({ _tag: "PermissionWithdrawn", permission: pending.request, reason })
  }

  #withdrawAll(reason: Withdrawal): void {
    for (const pending of this.#open.values()) this.#withdraw(pending, Permission.cancelled, reason)
  }

  #publishLost(lost: ReadonlyArray<Permission.PermissionRequest>): void {
    for (const permission of lost) {
      this.#context.publish({ _tag: "PermissionWithdrawn", permission, reason: "connection" })
    }
  }

  #notifyChanged(): void {
    this.#context.changed([...this.#open.values()].map(({ request }) => request))
  }
}

interface Pending {
  readonly request: Permission.PermissionRequest
  readonly message: JsonRpc.Request
  readonly answer: Deferred.Deferred<Permission.Answer>
}

/** The result of a request: the person's answer, or what stands for it at the deadline. */
const result = (pending: Pending, deadline: Duration.DurationInput, onExpired: () => void): Effect.Effect<unknown> =>
  Effect.clockWith((clock) => {
    const { expiresAt } = pending.request
    return Effect.timeoutTo(Deferred.await(pending.answer), {
      duration: expiresAt === undefined ? deadline : Math.max(0, expiresAt - clock.unsafeCurrentTimeMillis()),
      onSuccess: (value) => value,
      onTimeout: () => {
        onExpired()
        return Permission.expired
      }
    })
  }).pipe(Effect.map((value) => Permission.toResult(pending.request, value)))
