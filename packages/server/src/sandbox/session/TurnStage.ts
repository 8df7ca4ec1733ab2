import type { KnownStatus } from "@heddle/core/domain/TaskStatus"

/** How far the running turn is: an agent that begins with a plan is planning until it acts or speaks. */
export type TurnStage = "none" | "begun" | "planning" | "working"

/** The stage after an update of this kind (`sessionUpdate`). */
export const afterUpdate = (stage: TurnStage, kind: string | undefined): TurnStage => {
  if (stage === "begun" && kind === "plan") return "planning"
  return (stage === "begun" || stage === "planning") && kind !== undefined && workingKinds.has(kind) ? "working" : stage
}

/** The stage after a permission request: the agent acts. */
export const afterRequest = (stage: TurnStage): TurnStage => (stage === "planning" ? "working" : stage)

/** The status of a task whose turn runs: `pending` exactly while a person is waited for. */
export const statusOf = (stage: TurnStage, waitsForPerson: boolean): KnownStatus =>
  waitsForPerson ? "pending" : stage === "planning" ? "planning" : "working"

/** What an agent does when it no longer only plans. */
const workingKinds: ReadonlySet<string> = new Set(["agent_message_chunk", "tool_call", "tool_call_update"])
