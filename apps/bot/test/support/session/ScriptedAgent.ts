/** What a scripted agent can do in a turn, at any service. */
export interface ScriptedTurn {
  readonly text: string
  readonly say: (text: string) => void
  readonly update: (update: { readonly sessionUpdate: string; readonly [field: string]: unknown }) => void
  readonly artifact: (event: "created" | "updated", artifact: Artifact, bytes?: Uint8Array) => void
  /** Sends a request to the clients; nothing is its result when no client answered. */
  readonly request: (method: string, params: object) => Promise<unknown>
  readonly cancelled: Promise<void>
}

interface Artifact {
  readonly type: string
  readonly uri: string
  readonly size?: number
  readonly [field: string]: unknown
}

/** Plays the agent in each turn; gives the reason for which the turn ends. */
export type ScriptedAgent = (turn: ScriptedTurn) => Promise<string>

const question = { toolCallId: "ask", title: "Ask the person" }
const report = { toolCallId: "t1", title: "Write report.md", kind: "edit" }
const picture = Buffer.from("a picture")
const longText = Array.from({ length: 40 }, (_, n) => `Finding ${n}: ${"it is so because it is so. ".repeat(6)}`).join(
  "\n\n"
)

/** The agent of a session; it waits at gates, which the people open. */
export const makeAgent =
  (gate: (name: string) => Promise<void>): ScriptedAgent =>
  async (turn) => {
    switch (turn.text) {
      case "alpha":
        return alpha(turn, gate)
      case "alpha 2": {
        const { answers } = await ask(turn, {
          toolCall: {
            ...question,
            rawInput: { questions: [{ question: "Which way?", header: "Way", options: ["left", "right"] }] }
          }
        })
        turn.say(`You answered ${JSON.stringify(answers)}.`)
        // Edits follow each other as fast as they may, so that a kill comes between two of them.
        for (let piece = 1; piece <= 30; piece++) {
          turn.say(` Piece ${piece}.`)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        return "end_turn"
      }
      case "beta":
        turn.say("I work on beta.")
        turn.update({ sessionUpdate: "tool_call", toolCallId: "b1", title: "Read data.csv", status: "in_progress" })
        await gate("beta")
        turn.update({ sessionUpdate: "tool_call_update", toolCallId: "b1", status: "completed" })
        turn.say("Beta is done.")
        return "end_turn"
      case "beta 2":
        turn.say("The first half,")
        await gate("beta 2")
        turn.say(" the second half.")
        return "end_turn"
      case "beta 5":
        turn.say("I shall be stopped.")
        await turn.cancelled
        await gate("stopping")
        turn.say(" I was.")
        return "cancelled"
      default:
        turn.say(`answer to ${turn.text}`)
        return "end_turn"
    }
  }

const alpha = async (turn: ScriptedTurn, gate: (name: string) => Promise<void>): Promise<string> => {
  turn.say("I look at the *data* first.")
  turn.update({ sessionUpdate: "tool_call", ...report, status: "pending" })
  const { optionId } = await ask(turn, {
    toolCall: { ...report, content: [{ type: "diff", path: "report.md", oldText: "a\nb", newText: "a\nc" }] }
  })
  turn.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" })
  turn.say(`You chose ${optionId}.`)
  await gate("plan")
  const plan = { uri: "agent:///plan.md", type: "plan", title: "Plan" }
  turn.artifact("created", { ...plan, text: "1. look\n2. tell", version: 1 })
  await gate("long")
  turn.update({ sessionUpdate: "tool_call", toolCallId: "t2", title: "Count", status: "in_progress" })
  turn.say(longText)
  await gate("file")
  turn.update({ sessionUpdate: "tool_call_update", toolCallId: "t2", status: "completed" })
  const chart = { uri: "agent:///artifacts/chart.png", type: "media", name: "chart.png", mimeType: "image/png" }
  turn.artifact("created", { ...chart, size: picture.length }, picture)
  turn.artifact("updated", { ...plan, text: "1. looked\n2. told", version: 2 })
  await gate("end of alpha")
  return "end_turn"
}

interface Outcome {
  readonly outcome: string
  readonly optionId?: string
  readonly answers?: unknown
}

/** Asks until a person answers: a service may drop a request with its connection. */
const ask = async (turn: ScriptedTurn, params: object): Promise<Outcome> => {
  const options = [
    { optionId: "allow", name: "Allow", kind: "allow_once" },
    { optionId: "reject", name: "Reject", kind: "reject_once" }
  ]
  for (let times = 0; times < 20; times++) {
    const result = (await turn.request("session/request_permission", { ...params, options })) as
      | { readonly outcome: Outcome }
      | undefined
    if (result !== undefined && result.outcome.outcome !== "cancelled") return result.outcome
  }
  throw new Error("nobody answers the agent")
}
