import type * as Protocol from "@heddle/core/api/AssistantProtocol"
import { maxReplyBytes } from "@heddle/core/api/AssistantProtocol"
import * as Duration from "effect/Duration"
import * as AgentFailure from "./AgentFailure.ts"
import type { AgentError } from "./AgentFailure.ts"
import * as JsonSize from "./internal/JsonSize.ts"

// What the local assistant says to the person who reads the conversation.

/** The end of a turn. */
export const answer = (text: string, stopReason: string, forgot: boolean): Protocol.Reply => {
  const end = endings.get(stopReason)
  const start = forgot ? "(The agent does not remember what was said before.)" : ""
  return { msgType: "text", text: joined(start, text === "" && end === undefined ? nothingSaid : text, end ?? "") }
}

/** A failure of the agent, after what it had said until then. */
export const failure = (text: string, error: AgentError, agentName: string): Protocol.Reply => {
  const problem = capitalised(AgentFailure.describe(error, agentName))
  const fixable = error._tag === "AgentNotFound" || error._tag === "UnsupportedVersion"
  const fix = fixable
    ? "The owner of the computer has to correct the agent command."
    : "You can send your message again."
  return { msgType: "error", text: joined(text, `${problem}. ${fix}`) }
}

/** The end of an agent that does nothing any more. */
export const silent = (text: string, after: Duration.Duration): Protocol.Reply => ({
  msgType: "error",
  text: joined(
    text,
    `The agent gave no sign for ${Duration.format(after)}, so it was stopped. You can send your message again.`
  )
})

/** The reply in place of one that the service refuses, because it is longer than it allows, say. */
export const refused: Protocol.Reply = {
  msgType: "error",
  text: "The agent has answered, but the service did not take the answer. Ask for a shorter one."
}

const joined = (...parts: ReadonlyArray<string>): string => {
  const text = parts.filter((part) => part !== "").join("\n\n")
  if (JsonSize.of(text) <= maxReplyBytes) return text
  return JsonSize.head(text, maxReplyBytes - JsonSize.of(leftOut)) + leftOut
}

const leftOut = "\n\n(The answer was longer; the rest is left out.)"
const nothingSaid = "The agent has finished; it had nothing to say."

const endings: ReadonlyMap<string, string> = new Map([
  ["cancelled", "(The turn was cancelled.)"],
  ["max_tokens", "(The answer ends here because the agent's model reached its limit.)"],
  ["max_turn_requests", "(The agent stopped because it reached its limit of steps.)"],
  ["refusal", "(The agent refused to go on.)"]
])

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
