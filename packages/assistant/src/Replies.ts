import type * as Protocol from "@heddle/core/api/AssistantProtocol"
import { maxReplyBytes } from "@heddle/core/api/AssistantProtocol"
import * as Duration from "effect/Duration"
import * as AgentFailure from "./AgentFailure.ts"
import type { AgentError } from "./AgentFailure.ts"
import * as JsonSize from "./internal/JsonSize.ts"

// The replies of the local assistant in the conversation.

/** The reply at the end of a turn. */
export const answer = (text: string, stopReason: string, lostHistory: boolean): Protocol.Reply => {
  const end = endingTexts.get(stopReason)
  const start = lostHistory ? "(The agent does not remember what was said before.)" : ""
  return {
    msgType: "text",
    text: joinParts(start, text === "" && end === undefined ? nothingSaidText : text, end ?? "")
  }
}

/** The reply when the agent failed, after its text until then. */
export const failure = (text: string, error: AgentError, agentName: string): Protocol.Reply => {
  const problem = capitalise(AgentFailure.describe(error, agentName))
  const fixable = error._tag === "AgentNotFound" || error._tag === "UnsupportedVersion"
  const fix = fixable
    ? "The owner of the computer has to correct the agent command."
    : "You can send your message again."
  return { msgType: "error", text: joinParts(text, `${problem}. ${fix}`) }
}

/** The reply when the agent was silent for too long. */
export const silent = (text: string, silence: Duration.Duration): Protocol.Reply => ({
  msgType: "error",
  text: joinParts(
    text,
    `The agent gave no sign for ${Duration.format(silence)}, so it was stopped. You can send your message again.`
  )
})

/** Replaces a reply that the service refuses, for example because it is too long. */
export const refused: Protocol.Reply = {
  msgType: "error",
  text: "The agent has answered, but the service did not take the answer. Ask for a shorter one."
}

const joinParts = (...parts: ReadonlyArray<string>): string => {
  const text = parts.filter((part) => part !== "").join("\n\n")
  if (JsonSize.sizeOf(text) <= maxReplyBytes) return text
  return JsonSize.takeBytes(text, maxReplyBytes - JsonSize.sizeOf(omittedNote)) + omittedNote
}

const omittedNote = "\n\n(The answer was longer; the rest is left out.)"
const nothingSaidText = "The agent has finished; it had nothing to say."

const endingTexts: ReadonlyMap<string, string> = new Map([
  ["cancelled", "(The turn was cancelled.)"],
  ["max_tokens", "(The answer ends here because the agent's model reached its limit.)"],
  ["max_turn_requests", "(The agent stopped because it reached its limit of steps.)"],
  ["refusal", "(The agent refused to go on.)"]
])

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
