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

/** Keeps what waits for a person: every request is a question of its own, answered at most once and by one answer. */
export const make = ({ answered, asked, changed, deadline, withdrawn }: Options) => {
  const open = new Map<string, Pending>()
  /** Answers that the agent may not have yet. */
  const given = new Set<Given>()
  /** How often the same was being asked, unanswered, when the connection was replaced. */
  const lost = new Map<string, number>()
  const messages = new WeakMap<JsonRpc.Request, Pending | Given>()

  const report = () => changed([...open.values()].map(({ request }) => request))

  /** Takes a request off the table and answers it; false when it is not there any more. */
  const settle = (pending: Pending, answer: Permission.Answer): boolean => {
    if (open.get(pending.request.requestId) !== pending) return false
    open.delete(pending.request.requestId)
    report()
    Deferred.unsafeDone(pending.answer, Effect.succeed(answer))
    return true
  }

  const settleAll = (answer: Permission.Answer, reason: Withdrawal) => {
    for (const pending of open.values()) if (settle(pending, answer)) withdrawn(pending.request, reason)
  }

  /**
   * The answer that a request has already: asked the same again after its connection was replaced, it is not the person
   * who has to repeat an answer that may have got lost. Those that nobody had answered are taken to come first, and of
   * the others those that were answered last, so that an answer that did arrive is not given twice.
   */
  const repeated = (fingerprint: string): Given | undefined => {
    const unanswered = lost.get(fingerprint) ?? 0
    if (unanswered > 0) {
      lost.set(fingerprint, unanswered - 1)
      return undefined
    }
    return [...given].findLast((each) => each.doubtful && each.fingerprint === fingerprint)
  }

  return {
    /** Puts a request before the person. */
    ask: (request: Permission.PermissionRequest, message: JsonRpc.Request): Effect.Effect<unknown> => {
      const { requestId: _, ...content } = request
      const fingerprint = JSON.stringify(content)
      const before = repeated(fingerprint)
      if (before !== undefined) {
        before.doubtful = false
        messages.set(message, before)
        return Effect.succeed(Permission.toResult(request, before.answer))
      }
      const pending: Pending = { request, fingerprint, answer: Deferred.unsafeMake(FiberId.none) }
      messages.set(message, pending)
      open.set(request.requestId, pending)
      report()
      asked(request)
      return Deferred.await(pending.answer).pipe(
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
            if (settle(pending, Permission.cancelled)) withdrawn(pending.request, "agent")
          })
        )
      )
    },

    /** The agent has the answer. */
    delivered: (message: JsonRpc.Request) => {
      const about = messages.get(message)
      if (about === undefined) return
      for (const each of given) if (each.request === about.request) given.delete(each)
      answered(about.request)
    },

    answer: Effect.fn("AcpSession.answerPermission")(function* (requestId: string, answer: Permission.Answer) {
      const pending = open.get(requestId)
      if (pending === undefined) return yield* new AlreadyAnswered({ requestId })
      const description = Permission.problem(pending.request, answer)
      if (description !== undefined) return yield* new InvalidChoice({ requestId, description })
      given.add({ request: pending.request, fingerprint: pending.fingerprint, answer, doubtful: false })
      settle(pending, answer)
    }),

    /** The person stopped the turn, so nothing that is asked in it is decided. */
    cancelAll: () => {
      for (const pending of open.values()) settle(pending, Permission.cancelled)
    },

    /** The connections on which was asked are gone: what nobody knows to have arrived may be asked again. */
    connectionGone: () => {
      lost.clear()
      for (const { fingerprint } of open.values()) lost.set(fingerprint, (lost.get(fingerprint) ?? 0) + 1)
      for (const each of given) each.doubtful = true
      settleAll(Permission.cancelled, "connection")
    },

    /** What had to be asked again on this connection was: the same once more is another question. */
    allAsked: () => {
      lost.clear()
      for (const each of given) if (each.doubtful) given.delete(each)
    },

    /** The turn is over and nothing asked in it needs an answer any more. */
    turnOver: () => {
      lost.clear()
      given.clear()
      settleAll(Permission.cancelled, "turn")
    }
  }
}

interface Pending {
  readonly request: Permission.PermissionRequest
  readonly fingerprint: string
  readonly answer: Deferred.Deferred<Permission.Answer>
}

interface Given {
  readonly request: Permission.PermissionRequest
  readonly fingerprint: string
  readonly answer: Permission.Answer
  /** The connection that it was given on is gone, and the agent has not asked again. */
  doubtful: boolean
}
