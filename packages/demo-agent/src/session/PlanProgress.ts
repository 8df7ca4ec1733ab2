import type { PlanEntry } from "@agentclientprotocol/sdk"

/** The steps of a turn; at most one is in progress. */
export type Plan = ReadonlyArray<PlanEntry>

/** A plan with its first steps completed and the next one in progress. */
export const startPlan = (steps: ReadonlyArray<string>, completed = 0): Plan =>
  begin(
    steps.map((content, i) => ({ content, priority: "medium", status: i < completed ? "completed" : "pending" })),
    completed
  )

/** Completes the current step and begins the next one. */
export const completeStep = (plan: Plan): Plan =>
  atCurrent(plan, (at) => begin(replaceAt(plan, at, { status: "completed" }), at + 1))

/** Completes the current step and all after it. */
export const completeAll = (plan: Plan): Plan =>
  atCurrent(plan, (at) => plan.map((entry, i) => (i >= at ? { ...entry, status: "completed" } : entry)))

/** Takes the current step, which is not needed, off the plan and begins the next one. */
export const dropStep = (plan: Plan): Plan =>
  atCurrent(plan, (at) =>
    begin(
      plan.filter((_, i) => i !== at),
      at
    )
  )

/** Takes the current step and all after it off the plan. */
export const dropRest = (plan: Plan): Plan => atCurrent(plan, (at) => plan.slice(0, at))

/** Leaves the current step undone, with the reason, and begins the next one. */
export const leaveStep = (plan: Plan, reason: string): Plan =>
  atCurrent(plan, (at) =>
    begin(replaceAt(plan, at, { content: `${plan[at]?.content} (${reason})`, status: "pending" }), at + 1)
  )

const atCurrent = (plan: Plan, change: (at: number) => Plan): Plan => {
  const at = plan.findIndex((entry) => entry.status === "in_progress")
  return at < 0 ? plan : change(at)
}

const begin = (plan: Plan, at: number): Plan => replaceAt(plan, at, { status: "in_progress" })

const replaceAt = (plan: Plan, at: number, change: Partial<PlanEntry>): Plan =>
  plan.map((entry, i) => (i === at ? { ...entry, ...change } : entry))
