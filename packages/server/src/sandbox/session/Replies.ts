import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { SessionContext } from "./SessionContext.ts"
import type { Subscriber } from "../journal/Subscribers.ts"

/** Sends a response to a client after everything before it is stored. */
export const reply = (
  { subscribers, unitOfWork }: Pick<SessionContext, "subscribers" | "unitOfWork">,
  subscriber: Subscriber,
  message: JsonRpc.Message
): void => unitOfWork.afterCommit(() => subscribers.send(subscriber, message))

export const refuse = (
  context: SessionContext,
  subscriber: Subscriber,
  id: JsonRpc.Id,
  code: number,
  message: string
): void => reply(context, subscriber, JsonRpc.failure(id, new JsonRpc.RpcError({ code, message })))

/** Refuses a request because too many wait for the agent. */
export const refuseBusy = (context: SessionContext, subscriber: Subscriber, id: JsonRpc.Id, what: string): void =>
  refuse(
    context,
    subscriber,
    id,
    busy,
    `Too many or too large ${what} of this session wait for the agent already. Nothing was done: try again later.`
  )

/** From JSON-RPC's implementation-defined range, -32000 to -32099. */
const busy = -32004
