import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Subscribers, Subscriber } from "../journal/Subscribers.ts"
import type { InputRequest } from "./InputRequest.ts"
import type { UnitOfWork } from "../journal/UnitOfWork.ts"
import type { SandboxStore } from "../journal/SandboxStore.ts"

/** What waits for a person's answer, asked of every connection of the task. */
export interface PendingRequests {
  readonly waiting: () => boolean
  readonly ask: (permissionId: string, inputRequest: InputRequest, answer: Deferred.Deferred<unknown>) => void
  /** Asks a connection that came later everything that still waits. */
  readonly askLate: (subscriber: Subscriber) => void
  /**
   * Takes a connection's answer; the first one that chooses what was offered counts. An error says that nobody can be
   * asked there: "refused by all" when nobody is left who could be, and the mildest refusal is taken.
   */
  readonly answered: (
    subscriber: Subscriber,
    response: JsonRpc.Success | JsonRpc.Failure
  ) => "refused by all" | undefined
  /** The agent no longer wants the answer. */
  readonly withdraw: (permissionId: string) => void
  /** The time for an answer is over: the request is refused. False when it was answered before. */
  readonly expire: (permissionId: string) => boolean
  /** The turn is cancelled or over: everything that waits is answered so. */
  readonly cancelAll: () => void
}

/** Makes the permissions of one task. */
export const make = (
  taskId: TaskId,
  subscribers: Subscribers,
  unitOfWork: UnitOfWork,
  store: SandboxStore["Type"]
): PendingRequests => {
  const open = new Map<string, Open>()

  const askOf = (subscriber: Subscriber, permissionId: string, inputRequest: InputRequest) => {
    const id = subscriber.nextId++
    const asked = inputRequest.requestFor(subscriber)
    subscriber.asked.set(id, { ...asked, permissionId })
    unitOfWork.afterCommit(() => subscribers.send(subscriber, JsonRpc.request(id, asked.method, asked.params)))
  }

  /** Takes a request off the table; the connections that did not answer it are told. */
  const close = (permissionId: string, record: string, answeredBy?: Subscriber) => {
    const found = open.get(permissionId)
    open.delete(permissionId)
    unitOfWork.write(store.closePermission(permissionId, record))
    for (const subscriber of subscribers.all) {
      for (const [id, asked] of subscriber.asked) {
        if (asked.permissionId !== permissionId) continue
        subscriber.asked.delete(id)
        if (subscriber === answeredBy) continue
        unitOfWork.afterCommit(() =>
          subscribers.send(subscriber, JsonRpc.notification("$/cancel_request", { requestId: id }))
        )
      }
    }
    return found
  }

  /** Whether a connection may still answer: it was asked, or will be when its replay has caught up. */
  const waitedFor = (permissionId: string, refusedBy: WeakSet<Subscriber>) =>
    [...subscribers.all].some(
      (subscriber) =>
        (subscriber.mode === "replaying" && !refusedBy.has(subscriber)) ||
        [...subscriber.asked.values()].some((each) => each.permissionId === permissionId)
    )

  const settle = (permissionId: string, result: object, record: string, by?: Subscriber) => {
    const found = close(permissionId, record, by)
    if (found === undefined) return
    unitOfWork.afterCommit(() => Deferred.unsafeDone(found.answer, Effect.succeed(result)))
  }

  return {
    waiting: () => open.size > 0,

    ask: (permissionId, inputRequest, answer) => {
      open.set(permissionId, { inputRequest, answer, refusedBy: new WeakSet() })
      unitOfWork.write(store.askPermission({ permissionId, taskId, params: JSON.stringify(inputRequest.params) }))
      for (const subscriber of subscribers.all) {
        if (subscriber.mode !== "unattached") askOf(subscriber, permissionId, inputRequest)
      }
    },

    askLate: (subscriber) => {
      const asked = new Set([...subscriber.asked.values()].map(({ permissionId }) => permissionId))
      for (const [permissionId, { inputRequest, refusedBy }] of open) {
        if (!asked.has(permissionId) && !refusedBy.has(subscriber)) askOf(subscriber, permissionId, inputRequest)
      }
    },

    answered: (subscriber, response) => {
      const asked = typeof response.id === "number" ? subscriber.asked.get(response.id) : undefined
      const found = asked === undefined ? undefined : open.get(asked.permissionId)
      // Answered before, withdrawn or never asked.
      if (asked === undefined || found === undefined) return undefined
      const { permissionId } = asked
      if (JsonRpc.isFailure(response)) {
        found.refusedBy.add(subscriber)
        subscriber.asked.delete(Number(response.id))
        if (waitedFor(permissionId, found.refusedBy)) return undefined
        settle(permissionId, found.inputRequest.refused, "refused by error")
        return "refused by all"
      }
      const settled = found.inputRequest.read(asked, response.result)
      if (settled !== undefined) settle(permissionId, settled.result, settled.record, subscriber)
      return undefined
    },

    withdraw: (permissionId) => {
      if (open.has(permissionId)) close(permissionId, "withdrawn")
    },

    expire: (permissionId) => {
      const found = open.get(permissionId)
      if (found === undefined) return false
      settle(permissionId, found.inputRequest.refused, "timed out")
      return true
    },

    cancelAll: () => {
      for (const [permissionId, { inputRequest }] of open) settle(permissionId, inputRequest.cancelled, "cancelled")
    }
  }
}

interface Open {
  readonly inputRequest: InputRequest
  readonly answer: Deferred.Deferred<unknown>
  /** Who answered with an error, and is not asked again. */
  readonly refusedBy: WeakSet<Subscriber>
}
