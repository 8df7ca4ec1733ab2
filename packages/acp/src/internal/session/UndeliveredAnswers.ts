import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { AnswerNotDelivered } from "../../AcpError.ts"
import type * as JsonRpc from "../../JsonRpc.ts"
import type * as Permission from "../../Permission.ts"

/** An answer that the agent may not have yet. */
export interface UndeliveredAnswer {
  readonly request: Permission.PermissionRequest
  readonly answer: Permission.Answer
  /** Ends for the caller once it is known whether the service took the answer. */
  readonly outcome: Deferred.Deferred<void, AnswerNotDelivered>
  /** Whether the request gets this answer when the agent repeats it on a new connection. */
  isRepeatable: boolean
  /** The message that it answers. Undefined: its connection is gone, and the agent has not repeated the request. */
  message: JsonRpc.Request | undefined
}

/**
 * The answers that the agent may not have yet. On a new connection an agent repeats its open requests. One that the
 * service marks as the same request gets its lost answer again, and the person is not asked twice.
 */
export class UndeliveredAnswers {
  readonly #answers = new Set<UndeliveredAnswer>()

  add(answer: UndeliveredAnswer): void {
    this.#answers.add(answer)
  }

  /** The service has taken the answer. */
  delivered(message: JsonRpc.Request): void {
    for (const each of this.#answers) {
      if (each.message !== message) continue
      this.#answers.delete(each)
      Deferred.unsafeDone(each.outcome, Effect.void)
    }
  }

  /** The answer to this message cannot reach the service, although its connection goes on. */
  undeliverable(message: JsonRpc.Request): void {
    this.#giveUp("refused", (each) => each.message === message)
  }

  /** The connection is gone. Returns the requests whose answers are given up. */
  connectionLost(): ReadonlyArray<Permission.PermissionRequest> {
    const lost = this.#giveUp("connection", ({ isRepeatable }) => !isRepeatable)
    for (const each of this.#answers) each.message = undefined
    return lost
  }

  /** Finds the answer of a repeated request, once: it has the same mark and asks the same. */
  takeFor(request: Permission.PermissionRequest, message: JsonRpc.Request): UndeliveredAnswer | undefined {
    if (request.repeatId === undefined) return undefined
    const content = contentOf(request)
    const found = [...this.#answers].find((each) => each.message === undefined && contentOf(each.request) === content)
    if (found !== undefined) found.message = message
    return found
  }

  /**
   * The agent has repeated all that it wants: the same request is a new one from now on. Returns the requests whose
   * answers are given up.
   */
  endRepeatWindow(): ReadonlyArray<Permission.PermissionRequest> {
    return this.#giveUp("connection", ({ message }) => message === undefined)
  }

  /** The turn of the requests is over: the same request belongs to another turn. */
  turnEnded(): void {
    this.endRepeatWindow()
    for (const each of this.#answers) each.isRepeatable = false
  }

  #giveUp(
    reason: AnswerNotDelivered["reason"],
    which: (answer: UndeliveredAnswer) => boolean
  ): ReadonlyArray<Permission.PermissionRequest> {
    const given = [...this.#answers].filter(which)
    for (const each of given) {
      this.#answers.delete(each)
      const { requestId } = each.request
      Deferred.unsafeDone(each.outcome, Effect.fail(new AnswerNotDelivered({ requestId, reason })))
    }
    return given.map(({ request }) => request)
  }
}

/** What a request asks, and its mark: a repeated request has another id, and may have a later deadline. */
const contentOf = ({
  expiresAt: _expiresAt,
  requestId: _requestId,
  ...content
}: Permission.PermissionRequest): string => JSON.stringify(content)
