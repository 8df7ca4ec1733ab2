import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { SessionContext } from "./SessionContext.ts"
import type { Subscriber } from "../journal/Subscribers.ts"

/** Sends a client its response, once everything before it is stored. */
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

/** Of the codes that JSON-RPC leaves to servers. */
const busy = -32004
