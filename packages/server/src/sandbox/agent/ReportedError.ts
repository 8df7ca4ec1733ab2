import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Effect from "effect/Effect"
import { field, isRecord, stringField } from "../../internal/Json.ts"

/** Fails the turn of an agent that tells an error in another way than by failing its prompt. */
export interface ReportedError {
  /** Looks at a notification of the agent; true where it has only words of the error with which the turn will fail. */
  readonly note: (params: Readonly<Record<string, unknown>>) => boolean
  /** Fails a prompt whose agent reported an error meanwhile, or calls one a refusal in its result. */
  readonly during: <E>(method: string, call: Effect.Effect<unknown, E>) => Effect.Effect<unknown, E | JsonRpc.RpcError>
}

export const make = (): ReportedError => {
  let running: RunningTurn | undefined
  return {
    note: (params) => {
      if (running === undefined) return false
      const update = field(params, "update")
      const status = stringField(field(field(field(update, "_meta"), "codex"), "threadStatus"), "type")
      if (status !== undefined) running.error = status === "systemError" ? "" : undefined
      if (running.error === undefined || stringField(update, "sessionUpdate") !== "agent_message_chunk") return false
      const words = stringField(field(update, "content"), "text")
      if (words === undefined || running.error.length + words.length > maxErrorChars) return false
      running.error += words
      return true
    },
    during: (method, call) =>
      method !== "session/prompt"
        ? call
        : Effect.suspend(() => {
            const turn: RunningTurn = { error: undefined }
            running = turn
            return call.pipe(
              Effect.flatMap((result) => {
                const isStopped = stringField(result, "stopReason") === "cancelled"
                const error = isStopped ? undefined : turn.error?.trim().replace(addressAtEnd, "")
                const cause = error ?? refusalIn(result)
                return cause === undefined ? Effect.succeed(result) : Effect.fail(errorOf(cause))
              }),
              Effect.ensuring(
                Effect.sync(() => {
                  if (running === turn) running = undefined
                })
              )
            )
          })
  }
}

/** What an agent says beyond it goes to the clients, and counts against the limits of a turn. */
const maxErrorChars = 4000

interface RunningTurn {
  /** What the agent said since Codex reported an error of its thread, which is the error. */
  error: string | undefined
}

/** People cannot use the address of the model's server. */
const addressAtEnd = /, url: \S+$/

/** The error of a refusal: the `_meta` of the result has it, or a failed outcome. CodeBuddy does so. */
const refusalIn = (result: unknown): string | undefined => {
  const meta = field(result, "_meta")
  if (stringField(result, "stopReason") !== "refusal" || !isRecord(meta)) return undefined
  const told = (name: RegExp) =>
    Object.entries(meta).find(([key, value]) => name.test(key) && (isRecord(value) || (value ?? "") !== ""))?.[1]
  const error = told(/error([ _-]?message)?$/i)
  const outcome = told(/outcome$/i)
  const cause =
    typeof error === "string" || isRecord(error) ? error : failed.test(String(outcome)) ? outcome : undefined
  return cause === undefined || typeof cause === "string" ? cause : JSON.stringify(cause)
}

const failed = /fail|error/i

const errorOf = (cause: string): JsonRpc.RpcError => {
  const message = cause === "" ? "It ended the turn with an error, without a word about the cause" : cause
  const { explanation } = new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message })
  return new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message: explanation })
}
