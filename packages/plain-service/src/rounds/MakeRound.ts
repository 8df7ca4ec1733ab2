import { randomUUID } from "node:crypto"
import type { ContentBlock, SessionUpdate } from "../acp/Journal.ts"
import type { RpcAnswer } from "../acp/Calls.ts"
import type { Session } from "../acp/Session.ts"
import { isRecord } from "../IsRecord.ts"
import type { Artifact, ArtifactEvent } from "../tasks/Artifacts.ts"
import { promptText } from "./PromptText.ts"
import type { Round, RoundQuestion } from "./Round.ts"

const allowOrReject = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" }
]

/** The task of a round, as far as the round needs it. */
export interface RoundTask {
  readonly id: string
  readonly session: Session
  readonly asks: (waits: boolean) => void
  readonly putArtifact: (event: ArtifactEvent, artifact: Artifact, bytes?: Uint8Array) => void
}

/** Makes a task's round for the script; once the round ended, its methods do nothing. */
export const makeRound = (
  task: RoundTask,
  blocks: ReadonlyArray<ContentBlock>,
  index: number,
  signal: AbortSignal,
  ended: () => boolean
): Round => {
  const { session } = task
  const tools = new Set<string>()
  const update = (value: SessionUpdate): void => {
    if (!ended()) session.update(value)
  }
  const request = (method: string, params: unknown): Promise<RpcAnswer> =>
    ended() ? Promise.resolve("cancelled") : session.request(method, params, signal)
  return {
    taskId: task.id,
    index,
    blocks,
    text: promptText(blocks),
    signal,
    say: (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
    think: (text) => update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } }),
    tool: ({ toolCallId = randomUUID(), ...tool }) => {
      update({ ...tool, sessionUpdate: tools.has(toolCallId) ? "tool_call_update" : "tool_call", toolCallId })
      tools.add(toolCallId)
      return toolCallId
    },
    plan: (entries) => update({ sessionUpdate: "plan", entries }),
    update,
    ask: async ({ _meta, options = allowOrReject, title, toolCall }) => {
      const asked = { toolCallId: randomUUID(), ...toolCall, title }
      const params = { sessionId: task.id, toolCall: asked, options, ...(_meta === undefined ? {} : { _meta }) }
      task.asks(true)
      const answer = await request("session/request_permission", params)
      task.asks(false)
      return optionOf(answer, options)
    },
    request,
    notify: (method, params) => {
      if (!ended()) session.notify(method, params)
    },
    artifact: (event, artifact, bytes) => {
      if (!ended()) task.putArtifact(event, artifact, bytes)
    }
  }
}

const optionOf = (answer: RpcAnswer, options: NonNullable<RoundQuestion["options"]>): string => {
  if (answer === "cancelled" || !("result" in answer) || !isRecord(answer.result)) return "cancelled"
  const { outcome } = answer.result
  if (!isRecord(outcome) || outcome["outcome"] !== "selected") return "cancelled"
  return options.find(({ optionId }) => optionId === outcome["optionId"])?.optionId ?? "cancelled"
}
