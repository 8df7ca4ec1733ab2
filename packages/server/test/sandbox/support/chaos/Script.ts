import type { Dice } from "./Dice.ts"

/** What the agent does in one turn, as the text of a prompt; every text and id in it is its own. */
export const make = (dice: Dice, turn: string): { readonly text: string; readonly questions: number } => {
  const script: Array<ReadonlyArray<unknown>> = [["say", `${turn} begins. `]]
  const steps = dice.int(1, 6)
  let questions = 0
  for (let n = 1; n <= steps; n++) {
    const id = `${turn}-${n}`
    const kind = dice.pick({ say: 4, think: 2, count: 3, tool: 3, plan: 2, usage: 1, wait: 3, ask: 3, large: 1 })
    if (kind === "say") script.push(["say", `${id} `, ...(dice.chance(0.5) ? [`m-${id}`] : [])])
    if (kind === "think") script.push(["think", `${id} `])
    if (kind === "count") script.push(["count", id, dice.int(2, 60)])
    if (kind === "tool")
      script.push(["tool", id, `Edit ${id}`], ["wait", dice.int(0, 30)], ["toolDone", id, `done ${id}`])
    if (kind === "plan") script.push(["plan", { content: id, priority: "high", status: "in_progress" }])
    if (kind === "usage") script.push(["usage", dice.int(1, 100_000)])
    if (kind === "wait") script.push(["wait", dice.int(1, 80)])
    if (kind === "large") script.push(["large", id, dice.int(5000, 30_000)])
    if (kind === "ask") {
      const times = dice.chance(0.25) ? 2 : 1
      questions += times
      for (let time = 1; time <= times; time++) script.push(["ask", id, id])
    }
  }
  return { text: JSON.stringify({ turn, script }), questions }
}
