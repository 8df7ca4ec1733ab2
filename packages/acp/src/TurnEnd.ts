import type * as Wire from "./schema/generated/AcpSchema.ts"

/**
 * How a turn ended. `stopReason` is "cancelled" once `cancel` was called in the turn, "unknown" where the agent gives no
 * reason, and otherwise the agent's own string.
 */
export interface TurnEnd {
  readonly stopReason: Wire.StopReason
  /** The deadline of `cancel` passed without an answer of the agent, which may go on. */
  readonly isUnconfirmed?: true
  readonly usage?: Wire.Usage
}
