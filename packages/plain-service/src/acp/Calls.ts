import type { Connection } from "./Connection.ts"

/** How a request of the service ended: by an answer, or without one. */
export type RpcAnswer = { readonly result: unknown } | { readonly error: unknown } | "cancelled"

interface Call {
  readonly method: string
  readonly params: unknown
  readonly settle: (answer: RpcAnswer) => void
  connection?: Connection
  id?: number | string
}

/** The requests of the service that wait for an answer, each on one connection at most (6). */
export class Calls {
  readonly #calls = new Set<Call>()

  /** Waits for the answer; without a connection it is asked later. */
  begin(
    { method, params }: { readonly method: string; readonly params: unknown },
    { connection, signal, timeoutMs }: { connection: Connection | undefined; signal: AbortSignal; timeoutMs: number }
  ): Promise<RpcAnswer> {
    return new Promise((resolve) => {
      const settle = (answer: RpcAnswer): void => {
        clearTimeout(timer)
        signal.removeEventListener("abort", cancel)
        this.#calls.delete(call)
        resolve(answer)
      }
      const call: Call = { method, params, settle }
      const cancel = (): void => settle("cancelled")
      const timer = setTimeout(cancel, timeoutMs).unref()
      if (signal.aborted) return cancel()
      signal.addEventListener("abort", cancel)
      this.#calls.add(call)
      if (connection !== undefined) ask(call, connection)
    })
  }

  /** Asks what was never asked; with `again`, also what was asked on a connection that is gone. */
  askWaiting(connection: Connection, again: boolean): void {
    for (const call of this.#calls)
      if (call.connection === undefined || (again && !call.connection.open)) ask(call, connection)
  }

  /** Takes an answer from the connection that was asked; any other is ignored. */
  answer(connection: Connection, id: unknown, answer: RpcAnswer): boolean {
    for (const call of this.#calls)
      if (call.connection === connection && call.id === id) {
        call.settle(answer)
        return true
      }
    return false
  }
}

const ask = (call: Call, connection: Connection): void => {
  call.connection = connection
  call.id = connection.nextRequestId()
  connection.send({ id: call.id, method: call.method, params: call.params })
}
