import * as JsonRpc from "@heddle/acp/JsonRpc"
import { field, stringField } from "../../internal/Json.ts"
import * as AgentFailure from "../agent/AgentFailure.ts"
import type { Turn, TurnOutcome } from "./SandboxEvent.ts"

/** The consequences of a turn's end. */
export interface TurnEnd {
  /** One of the five stop reasons of the protocol, or `error`. */
  readonly stopReason: string
  /** Whether the turn is charged; one that failed by no limit, never reached the agent or is free by the agent's word is not. */
  readonly isCharged: boolean
  /** How the tool calls end that still run; undefined where they stay as they are. */
  readonly toolCalls: "cancelled" | "failed" | undefined
  /** Why the turn failed, in words for its user. */
  readonly failure: string | undefined
  /** The failure of an agent that has never come up. */
  readonly permanentFailure: AgentFailure.AgentFailure | undefined
  /** The response to the request that began the turn. */
  readonly response: (id: JsonRpc.Id) => JsonRpc.Message
}

export const cancelled: TurnOutcome = { _tag: "Answered", result: { stopReason: "cancelled" } }

/** Decides what the end of a turn brings about; `hasOpened` tells whether its agent has ever come up. */
export const of = (turn: Turn, reportedOutcome: TurnOutcome, hasOpened: boolean): TurnEnd => {
  const outcome = turn.isCancelled && reportedOutcome._tag === "Failed" ? cancelled : reportedOutcome
  if (outcome._tag === "Answered") {
    const { result } = outcome
    const stopReason = stringField(result, "stopReason") ?? "end_turn"
    return {
      stopReason,
      // The operator has chosen the agent, so its word counts.
      isCharged: turn.wasSent && field(field(result, "_meta"), "heddle/free") !== true,
      toolCalls: stopReason === "cancelled" ? "cancelled" : undefined,
      failure: undefined,
      permanentFailure: undefined,
      response: (id) => JsonRpc.success(id, result)
    }
  }
  const isPermanent = outcome.error._tag === "AgentFailure" && !AgentFailure.isPassing(outcome.error) && !hasOpened
  const error =
    outcome.error._tag === "AgentFailure" && !turn.wasSent
      ? AgentFailure.withNextStep(outcome.error, isPermanent)
      : outcome.error
  return {
    stopReason: "error",
    // The agent worked until it was stopped: what ends by a limit costs as much as what a person stops.
    isCharged: turn.wasSent && outcome.error._tag === "AgentFailure" && outcome.error.reason === "limit",
    toolCalls: "failed",
    failure: error._tag === "AgentFailure" ? error.message : error.explanation,
    permanentFailure: isPermanent && error._tag === "AgentFailure" ? error : undefined,
    response: (id) => JsonRpc.failure(id, AgentFailure.toRpcError(error))
  }
}
