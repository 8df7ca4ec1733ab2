import type * as Wire from "./schema/generated/AcpSchema.ts"

/**
 * How a turn ended. `stopReason` is the agent's own string, also after `cancel`, which may come too late; "unknown" where
 * the agent gives no reason. Without an answer of the agent, a cancelled turn ends as "cancelled".
 */
export interface TurnEnd {
  readonly stopReason: Wire.StopReason
  /** The deadline of `cancel` passed without an answer of the agent, which may go on. */
  readonly isUnconfirmed?: true
  /** By this deadline the service had not taken the message that cancels the turn. */
  readonly isUndelivered?: true
  readonly usage?: Wire.Usage
}

/**
 * What `cancel` knows of the turn: `cancelled` if the agent says so or never had its prompt, `ended` if the agent ended
 * it in any other way, which may be by itself. `unconfirmed`: the agent may go on.
 */
export type CancelResult = "cancelled" | "ended" | "unconfirmed"
