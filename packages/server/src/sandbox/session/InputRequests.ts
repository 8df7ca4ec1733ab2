import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { randomUUID } from "node:crypto"
import * as InputRequest from "../input/InputRequest.ts"
import type { RelativePaths } from "./RelativePaths.ts"
import type { SandboxEvent } from "./SandboxEvent.ts"

/** The requests of an agent for a person's input, as its process makes them. */
export interface InputRequests {
  /** Asks for a permission; interruption withdraws the request. */
  readonly permission: (params: Readonly<Record<string, unknown>>) => Effect.Effect<unknown, JsonRpc.RpcError>
  /** Shows a form; undefined for an elicitation of another kind. */
  readonly elicitation: (
    params: Readonly<Record<string, unknown>>
  ) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
}

/** Offers each request as an event and gives its answer; refuses it where too much is open. */
export const make = (
  taskId: TaskId,
  relativePaths: RelativePaths,
  offer: (event: SandboxEvent) => void
): InputRequests => {
  const usage = { open: 0, size: 0 }

  const ask = (inputRequest: InputRequest.InputRequest, size: number) =>
    Effect.suspend(() => {
      const permissionId = randomUUID()
      const answer = Deferred.unsafeMake<unknown>(FiberId.none)
      usage.open += 1
      usage.size += size
      offer({ _tag: "PermissionAsked", permissionId, inputRequest, answer })
      return Deferred.await(answer).pipe(
        Effect.onInterrupt(() => Effect.sync(() => offer({ _tag: "PermissionWithdrawn", permissionId }))),
        Effect.ensuring(
          Effect.sync(() => {
            usage.open -= 1
            usage.size -= size
          })
        )
      )
    })

  const askWithinLimits = (inputRequest: InputRequest.InputRequest) => {
    const size = JSON.stringify(inputRequest.params).length
    const problem = InputRequest.findProblem(size, usage)
    // Decided at once, so that a refused request is not kept until the agent has read the refusal.
    return problem === undefined
      ? ask(inputRequest, size)
      : Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: problem }))
  }

  return {
    permission: (params) => askWithinLimits(InputRequest.permission(relativePaths.inPermission(params), taskId)),
    elicitation: (params) => {
      const form = InputRequest.form(params, taskId)
      return form === undefined ? undefined : askWithinLimits(form)
    }
  }
}
