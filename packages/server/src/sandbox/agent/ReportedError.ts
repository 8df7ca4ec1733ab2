import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Effect from "effect/Effect"
import { field, isRecord, stringField } from "../../internal/Json.ts"

/** Fails for a prompt whose agent calls an error a refusal: the result's `_meta` has the error, or a failed outcome. */
export const failFor = (method: string, result: unknown): Effect.Effect<unknown, JsonRpc.RpcError> => {
  const meta = field(result, "_meta")
  if (method !== "session/prompt" || stringField(result, "stopReason") !== "refusal" || !isRecord(meta))
    return Effect.succeed(result)
  const told = (name: RegExp) =>
    Object.entries(meta).find(([key, value]) => name.test(key) && (isRecord(value) || (value ?? "") !== ""))?.[1]
  const error = told(/error([ _-]?message)?$/i)
  const outcome = told(/outcome$/i)
  const cause =
    typeof error === "string" || isRecord(error) ? error : failed.test(String(outcome)) ? outcome : undefined
  if (cause === undefined) return Effect.succeed(result)
  const message = typeof cause === "string" ? cause : JSON.stringify(cause)
  const { explanation } = new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message })
  return Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message: explanation }))
}

const failed = /fail|error/i
