import type { PlanEntry } from "@agentclientprotocol/sdk"

/** The steps of a turn; at most one is in progress. */
export type Plan = ReadonlyArray<PlanEntry>

/** A plan with its first steps completed and the next one in progress. */
export const startPlan = (steps: ReadonlyArray<string>, completed = 0): Plan =>
  startStep(
    steps.map((content, i) => ({ content, priority: "medium", status: i < completed ? "completed" : "pending" })),
    completed
  )

/** Completes the current step and begins the next one. */
export const completeStep = (plan: Plan): Plan =>
  updateCurrent(plan, (index) => startStep(replaceAt(plan, index, { status: "completed" }), index + 1))

/** Completes the current step and all after it. */
export const completeAll = (plan: Plan): Plan =>
  updateCurrent(plan, (index) => plan.map((entry, i) => (i >= index ? { ...entry, status: "completed" } : entry)))

/** Removes the current step, which is not needed, and begins the next one. */
export const dropStep = (plan: Plan): Plan =>
  updateCurrent(plan, (index) =>
    startStep(
      plan.filter((_, i) => i !== index),
      index
    )
  )

/** Removes the current step and all after it. */
export const dropRest = (plan: Plan): Plan => updateCurrent(plan, (index) => plan.slice(0, index))

/** Marks the current step as not done, with the reason, and begins the next one. */
export const skipStep = (plan: Plan, reason: string): Plan =>
  updateCurrent(plan, (index) =>
    startStep(replaceAt(plan, index, { content: `${plan[index]?.content} (${reason})`, status: "pending" }), index + 1)
  )

const updateCurrent = (plan: Plan, change: (index: number) => Plan): Plan => {
  const index = plan.findIndex((entry) => entry.status === "in_progress")
  return index < 0 ? plan : change(index)
}

const startStep = (plan: Plan, index: number): Plan => replaceAt(plan, index, { status: "in_progress" })

const replaceAt = (plan: Plan, index: number, change: Partial<PlanEntry>): Plan =>
  plan.map((entry, i) => (i === index ? { ...entry, ...change } : entry))
