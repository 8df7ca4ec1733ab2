import type * as Wire from "./schema/generated/AcpSchema.ts"

/**
 * How a turn ended. `stopReason` is "cancelled" once `cancel` was called in the turn, "unknown" where the agent gives no
 * reason, and otherwise the agent's own string.
 */
export interface TurnEnd {
  readonly stopReason: Wire.StopReason
  /** The deadline of `cancel` passed without an answer of the agent, which may go on. */
  readonly isUnconfirmed?: true
  /** By this deadline the service had not taken the message that cancels the turn. */
  readonly isUndelivered?: true
  readonly usage?: Wire.Usage
}
