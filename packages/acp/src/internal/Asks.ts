import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { AlreadyAnswered, InvalidChoice } from "../AcpError.ts"
import type * as JsonRpc from "../JsonRpc.ts"
import * as Permission from "../Permission.ts"
import type { Withdrawal } from "../SessionEvent.ts"

/** What the register of open requests needs of its session. */
export interface Options {
  /** How long a person has. */
  readonly deadline: Duration.DurationInput
  readonly changed: (open: ReadonlyArray<Permission.PermissionRequest>) => void
  readonly asked: (request: Permission.PermissionRequest) => void
  readonly withdrawn: (request: Permission.PermissionRequest, reason: Withdrawal) => void
  /** The agent has the answer to a request. */
  readonly answered: (request: Permission.PermissionRequest) => void
}

/** Keeps what waits for a person: each question once, answered at most once. */
export const make = ({ answered, asked, changed, deadline, withdrawn }: Options) => {
  const open = new Map<string, Pending>()
  // An answer that may not have reached the agent: asked the same again, it is not the person who has to repeat it.
  const given = new Map<string, Permission.Answer>()
  const messages = new WeakMap<JsonRpc.Request, Pick<Pending, "request" | "fingerprint">>()

  const report = () => changed([...open.values()].map(({ request }) => request))

  /** Takes a request off the table and answers whoever waits for it; false when it is not there any more. */
  const settle = (pending: Pending, answer: Permission.Answer): boolean => {
    if (open.get(pending.request.requestId) !== pending) return false
    open.delete(pending.request.requestId)
    report()
    for (const each of pending.waiting) Deferred.unsafeDone(each, Effect.succeed(answer))
    return true
  }

  const settleAll = (answer: Permission.Answer, reason: Withdrawal) => {
    for (const pending of open.values()) if (settle(pending, answer)) withdrawn(pending.request, reason)
  }

  return {
    /** Puts a request before the person; one that is open already, to the letter, is asked only once. */
    ask: (request: Permission.PermissionRequest, message: JsonRpc.Request): Effect.Effect<unknown> => {
      const { requestId: _, ...content } = request
      const fingerprint = JSON.stringify(content)
      messages.set(message, { request, fingerprint })
      const before = given.get(fingerprint)
      if (before !== undefined) return Effect.succeed(Permission.toResult(request, before))
      const answer = Deferred.unsafeMake<Permission.Answer>(FiberId.none)
      const same = [...open.values()].find((each) => each.fingerprint === fingerprint)
      const pending = same ?? { request, fingerprint, waiting: new Set() }
      pending.waiting.add(answer)
      if (same === undefined) {
        open.set(request.requestId, pending)
        report()
        asked(request)
      }
      return Deferred.await(answer).pipe(
        Effect.timeoutTo({
          duration: deadline,
          onSuccess: (value) => value,
          onTimeout: () => {
            if (settle(pending, Permission.expired)) withdrawn(pending.request, "expired")
            return Permission.expired
          }
        }),
        Effect.map((value) => Permission.toResult(request, value)),
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            pending.waiting.delete(answer)
            if (pending.waiting.size === 0 && settle(pending, Permission.cancelled)) {
              withdrawn(pending.request, "agent")
            }
          })
        )
      )
    },

    /** The agent has the answer. */
    delivered: (message: JsonRpc.Request) => {
      const about = messages.get(message)
      if (about === undefined) return
      given.delete(about.fingerprint)
      answered(about.request)
    },

    answer: Effect.fn("AcpSession.answerPermission")(function* (requestId: string, answer: Permission.Answer) {
      const pending = open.get(requestId)
      if (pending === undefined) return yield* new AlreadyAnswered({ requestId })
      const description = Permission.problem(pending.request, answer)
      if (description !== undefined) return yield* new InvalidChoice({ requestId, description })
      given.set(pending.fingerprint, answer)
      settle(pending, answer)
    }),

    /** The person stopped the turn, so nothing that is asked in it is decided. */
    cancelAll: () => {
      for (const pending of open.values()) settle(pending, Permission.cancelled)
    },

    /** The connections on which was asked are gone. */
    connectionGone: () => settleAll(Permission.cancelled, "connection"),

    /** The turn is over and nothing asked in it needs an answer any more. */
    turnOver: () => {
      given.clear()
      settleAll(Permission.cancelled, "turn")
    }
  }
}

interface Pending {
  readonly request: Permission.PermissionRequest
  readonly fingerprint: string
  /** One for each time it was asked. */
  readonly waiting: Set<Deferred.Deferred<Permission.Answer>>
}
