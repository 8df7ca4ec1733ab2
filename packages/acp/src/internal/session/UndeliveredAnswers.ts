import type * as Permission from "../../Permission.ts"

/** An answer that the agent may not have yet. */
export interface UndeliveredAnswer {
  readonly request: Permission.PermissionRequest
  /** Requests with the same fingerprint ask the same. */
  readonly fingerprint: string
  readonly answer: Permission.Answer
  /** Its connection is gone, and the agent has not repeated the request. */
  inDoubt: boolean
}

/**
 * The answers that the agent may not have yet. On a new connection an agent repeats its open requests. One whose answer
 * was lost with the old connection gets that answer again, and the person is not asked twice.
 */
export class UndeliveredAnswers {
  readonly #answers = new Set<UndeliveredAnswer>()
  /** How many requests of each fingerprint were open when the connection was replaced. */
  readonly #unanswered = new Map<string, number>()

  add(answer: Omit<UndeliveredAnswer, "inDoubt">): void {
    this.#answers.add({ ...answer, inDoubt: false })
  }

  requests(): ReadonlyArray<Permission.PermissionRequest> {
    return [...this.#answers].map(({ request }) => request)
  }

  delivered(request: Permission.PermissionRequest): void {
    for (const each of this.#answers) if (each.request === request) this.#answers.delete(each)
  }

  /** The connection is gone; `open` are the fingerprints of the requests without an answer. */
  connectionLost(open: Iterable<string>): void {
    this.#unanswered.clear()
    for (const fingerprint of open) this.#unanswered.set(fingerprint, (this.#unanswered.get(fingerprint) ?? 0) + 1)
    for (const each of this.#answers) each.inDoubt = true
  }

  /**
   * Finds the answer of a repeated request, once. It prefers requests without an answer, then those that were answered
   * last. So an answer that did arrive is not given twice.
   */
  takeFor(fingerprint: string): UndeliveredAnswer | undefined {
    const left = this.#unanswered.get(fingerprint) ?? 0
    if (left > 0) {
      this.#unanswered.set(fingerprint, left - 1)
      return undefined
    }
    const found = [...this.#answers].findLast((each) => each.inDoubt && each.fingerprint === fingerprint)
    if (found !== undefined) found.inDoubt = false
    return found
  }

  /** The agent has repeated all that it wants: the same request is a new one from now on. */
  endRepeatWindow(): void {
    this.#unanswered.clear()
    for (const each of this.#answers) if (each.inDoubt) this.#answers.delete(each)
  }

  clear(): void {
    this.#unanswered.clear()
    this.#answers.clear()
  }
}
