import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { isRecord } from "../../internal/Json.ts"
import * as AgentFailure from "../agent/AgentFailure.ts"
import * as Choices from "./Choices.ts"
import * as Controls from "./Controls.ts"
import { maxQueued } from "./PromptQueue.ts"
import * as Replies from "./Replies.ts"
import type { SandboxEvent } from "./SandboxEvent.ts"
import { useAgent, type SessionContext } from "./SessionContext.ts"
import type { Forwarded, Subscriber } from "../journal/Subscribers.ts"

/** Requests of clients that the agent works on besides its turn. */
export interface ForwardedRequests {
  readonly forward: (subscriber: Subscriber, request: JsonRpc.Request, size: number) => void
  /** Whether the agent works on one. */
  readonly isWorking: () => boolean
  /** Withdraws a client's request; false when the agent does not work on it. */
  readonly withdraw: (subscriber: Subscriber, requestId: unknown) => boolean
  /** Withdraws all requests of a client that left, because an agent may never respond. */
  readonly withdrawAll: (subscriber: Subscriber) => void
}

export const make = (context: SessionContext, choices: Pick<Choices.Choices, "choiceOf">): ForwardedRequests => {
  const { fork, host, offer } = context
  const inProgress = { count: 0, bytes: 0 }

  const call = (subscriber: Subscriber, request: JsonRpc.Request, { withdrawn }: Forwarded) => {
    const { id, method, params } = request
    const choice = choices.choiceOf(request)
    // The option that stands for the models is another request to the agent.
    const sent =
      choice?.of === "model" ? Controls.toRequest(choice) : { method, params: isRecord(params) ? params : {} }
    // A started agent may offer what is chosen only with its earlier choices.
    const restored = choice === undefined ? Effect.void : Choices.restore(context)
    return Effect.zipRight(restored, host.call(sent.method, sent.params)).pipe(
      Effect.raceFirst(Deferred.await(withdrawn)),
      Effect.match({
        onSuccess: (result): SandboxEvent =>
          choice === undefined
            ? { _tag: "Reply", subscriber, message: JsonRpc.success(id, result) }
            : { _tag: "Chosen", subscriber, request, choice, result },
        onFailure: (error): SandboxEvent => ({
          _tag: "Reply",
          subscriber,
          message: JsonRpc.failure(id, AgentFailure.toRpcError(error))
        })
      })
    )
  }

  return {
    isWorking: () => inProgress.count > 0,
    forward: (subscriber, request, size) => {
      const { id } = request
      if (inProgress.count >= maxQueued.count || inProgress.bytes + size > maxQueued.bytes) {
        return Replies.refuseBusy(context, subscriber, id, "requests")
      }
      inProgress.count += 1
      inProgress.bytes += size
      useAgent(context)
      const forwarded: Forwarded = { size, withdrawn: Deferred.unsafeMake(FiberId.none) }
      subscriber.forwarded.set(id, forwarded)
      fork(
        call(subscriber, request, forwarded).pipe(
          Effect.map((event) => {
            if (subscriber.forwarded.get(id) === forwarded) subscriber.forwarded.delete(id)
            offer(event)
          }),
          Effect.ensuring(
            Effect.sync(() => {
              inProgress.count -= 1
              inProgress.bytes -= size
              offer({ _tag: "AgentAnswered" })
            })
          )
        )
      )
    },
    withdraw: (subscriber, requestId) => {
      // Anything that is no id finds nothing.
      const forwarded = subscriber.forwarded.get(requestId as JsonRpc.Id)
      if (forwarded === undefined) return false
      cancel(forwarded)
      return true
    },
    withdrawAll: (subscriber) => subscriber.forwarded.forEach(cancel)
  }
}

const cancel = ({ withdrawn }: Forwarded) => Deferred.unsafeDone(withdrawn, Effect.fail(JsonRpc.RpcError.cancelled()))
