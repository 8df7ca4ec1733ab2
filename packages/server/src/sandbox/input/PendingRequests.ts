import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { field, isRecord } from "../../internal/Json.ts"
import type { Subscribers, Subscriber } from "../journal/Subscribers.ts"
import type { InputRequest } from "./InputRequest.ts"
import type { UnitOfWork } from "../journal/UnitOfWork.ts"
import type { SandboxStore } from "../journal/SandboxStore.ts"

/** The requests that wait for a person's answer; every connection of the task gets them. */
export interface PendingRequests {
  readonly hasPending: () => boolean
  readonly ask: (permissionId: string, inputRequest: InputRequest, answer: Deferred.Deferred<unknown>) => void
  /** Sends all pending requests to a connection that came later. */
  readonly askPending: (subscriber: Subscriber) => void
  /**
   * Handles a connection's response; the first one that selects an offered option counts. After an error that
   * connection is not asked again. When none is left, the request is refused and the result is "refused by all".
   */
  readonly handleResponse: (
    subscriber: Subscriber,
    response: JsonRpc.Success | JsonRpc.Failure
  ) => "refused by all" | undefined
  /** The agent no longer wants the answer. */
  readonly withdraw: (permissionId: string) => void
  /** Refuses a request after its timeout; false when it was answered before. */
  readonly expire: (permissionId: string) => boolean
  /** Cancels all pending requests at the end of a turn. */
  readonly cancelAll: () => void
}

/** Makes the permissions of one task. */
export const make = (
  taskId: TaskId,
  subscribers: Subscribers,
  unitOfWork: UnitOfWork,
  store: SandboxStore["Type"]
): PendingRequests => {
  const pending = new Map<string, PendingRequest>()

  const { mayStillAnswer, sendTo, withdrawFromAll } = makeDelivery(subscribers, unitOfWork)

  /** Closes a request and withdraws it from the connections that did not answer it. */
  const closeRequest = (permissionId: string, record: string, answeredBy?: Subscriber) => {
    const request = pending.get(permissionId)
    pending.delete(permissionId)
    unitOfWork.write(store.closePermission(permissionId, record))
    withdrawFromAll(permissionId, answeredBy)
    return request
  }

  const resolve = (permissionId: string, result: object, record: string, answeredBy?: Subscriber) => {
    const request = closeRequest(permissionId, record, answeredBy)
    if (request === undefined) return
    unitOfWork.afterCommit(() => Deferred.unsafeDone(request.answer, Effect.succeed(result)))
  }

  return {
    hasPending: () => pending.size > 0,

    ask: (permissionId, inputRequest, answer) => {
      pending.set(permissionId, { inputRequest, answer, refusedBy: new WeakSet() })
      unitOfWork.write(store.askPermission({ permissionId, taskId, params: JSON.stringify(inputRequest.params) }))
      for (const subscriber of subscribers.all) {
        if (subscriber.mode !== "unattached") sendTo(subscriber, permissionId, inputRequest)
      }
    },

    askPending: (subscriber) => {
      const sentIds = new Set([...subscriber.sentRequests.values()].map(({ permissionId }) => permissionId))
      for (const [permissionId, { inputRequest, refusedBy }] of pending) {
        if (!sentIds.has(permissionId) && !refusedBy.has(subscriber)) sendTo(subscriber, permissionId, inputRequest)
      }
    },

    handleResponse: (subscriber, response) => {
      const sentRequest = typeof response.id === "number" ? subscriber.sentRequests.get(response.id) : undefined
      const request = sentRequest === undefined ? undefined : pending.get(sentRequest.permissionId)
      // Answered before, withdrawn or never asked.
      if (sentRequest === undefined || request === undefined) return undefined
      const { permissionId } = sentRequest
      if (JsonRpc.isFailure(response)) {
        request.refusedBy.add(subscriber)
        subscriber.sentRequests.delete(Number(response.id))
        if (mayStillAnswer(permissionId, request.refusedBy)) return undefined
        resolve(permissionId, request.inputRequest.refusal, "refused by error")
        return "refused by all"
      }
      const resolution = request.inputRequest.readAnswer(sentRequest, response.result)
      if (resolution !== undefined) resolve(permissionId, resolution.result, resolution.record, subscriber)
      return undefined
    },

    withdraw: (permissionId) => {
      if (pending.has(permissionId)) closeRequest(permissionId, "withdrawn")
    },

    expire: (permissionId) => {
      const request = pending.get(permissionId)
      if (request === undefined) return false
      resolve(permissionId, request.inputRequest.refusal, "timed out")
      return true
    },

    cancelAll: () => {
      for (const [permissionId, { inputRequest }] of pending)
        resolve(permissionId, inputRequest.cancellation, "cancelled")
    }
  }
}

/** Sends requests to connections, and remembers in each what it was sent. */
const makeDelivery = (subscribers: Subscribers, unitOfWork: UnitOfWork) => ({
  sendTo: (subscriber: Subscriber, permissionId: string, inputRequest: InputRequest) => {
    const id = subscriber.nextId++
    const { method, params } = inputRequest.requestFor(subscriber)
    // A client that is asked again on another connection knows by this that it is the same request.
    const sentRequest = { method, params: withRequestId(params, permissionId) }
    subscriber.sentRequests.set(id, { ...sentRequest, permissionId })
    unitOfWork.afterCommit(() =>
      subscribers.send(subscriber, JsonRpc.request(id, sentRequest.method, sentRequest.params))
    )
  },

  /** Withdraws a request from all connections but the one that answered it. */
  withdrawFromAll: (permissionId: string, answeredBy: Subscriber | undefined) => {
    for (const subscriber of subscribers.all) {
      for (const [id, sentRequest] of subscriber.sentRequests) {
        if (sentRequest.permissionId !== permissionId) continue
        subscriber.sentRequests.delete(id)
        if (subscriber === answeredBy) continue
        unitOfWork.afterCommit(() =>
          subscribers.send(subscriber, JsonRpc.notification("$/cancel_request", { requestId: id }))
        )
      }
    }
  },

  /** Whether a connection may still answer: it was asked, or will be when its replay has caught up. */
  mayStillAnswer: (permissionId: string, refusedBy: WeakSet<Subscriber>) =>
    [...subscribers.all].some(
      (subscriber) =>
        (subscriber.mode === "replaying" && !refusedBy.has(subscriber)) ||
        [...subscriber.sentRequests.values()].some((each) => each.permissionId === permissionId)
    )
})

const withRequestId = (params: object, permissionId: string): object => {
  const meta = field(params, "_meta")
  return { ...params, _meta: { ...(isRecord(meta) ? meta : {}), "heddle/request": permissionId } }
}

interface PendingRequest {
  readonly inputRequest: InputRequest
  readonly answer: Deferred.Deferred<unknown>
  /** The connections that responded with an error and are not asked again. */
  readonly refusedBy: WeakSet<Subscriber>
}
