import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Wire from "../../schema/generated/AcpSchema.ts"
import * as Open from "../../schema/Open.ts"
import type { TurnEnd } from "../../TurnEnd.ts"
import { safeDecoder } from "../SafeDecode.ts"

/** Reads the response to `session/prompt`. A turn has ended whatever its result looks like. */
export const fromReply = (reply: JsonRpc.Success | JsonRpc.Failure): Exit.Exit<TurnEnd, JsonRpc.RpcError> =>
  JsonRpc.isFailure(reply)
    ? Exit.fail(JsonRpc.RpcError.fromObject(reply.error))
    : Exit.succeed(fromResult(reply.result))

const fromResult = (result: unknown): TurnEnd => {
  const { stopReason, usage } = Option.getOrElse(decode(result), (): Partial<typeof PromptResult.Type> => ({}))
  return { stopReason: stopReason ?? "unknown", ...(usage === undefined || usage === null ? {} : { usage }) }
}

const PromptResult = Schema.Struct({
  stopReason: Open.lenient(Wire.StopReason),
  usage: Open.lenient(Schema.NullOr(Wire.Usage))
})

const decode = safeDecoder(PromptResult)
