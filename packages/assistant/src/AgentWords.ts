import type * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Duration from "effect/Duration"
import type { AgentFailure } from "./AgentFailure.ts"
import * as JsonSize from "./internal/JsonSize.ts"
import * as Wire from "@heddle/core/api/AssistantProtocol"

// What the local assistant says to the person who reads the conversation.

/** The end of a turn as an answer. */
export const answer = (text: string, stopReason: string | undefined, forgot: boolean): Wire.Reply => {
  const end = stopReason === undefined ? undefined : endings.get(stopReason)
  const start = forgot ? "(The agent does not remember what was said before.)" : ""
  return { msgType: "text", text: joined(start, text === "" && end === undefined ? silentEnd : text, end ?? "") }
}

/** A failure of the agent as an answer, after what it had said until then. */
export const failure = (text: string, error: AgentFailure | JsonRpc.RpcError): Wire.Reply => ({
  msgType: "error",
  text: joined(
    text,
    error._tag === "RpcError"
      ? `The agent answered with an error: ${error.message}. You can send your message again.`
      : // The sentences are those of the service's own sandboxes, where an operator stands for the user.
        error.message
          .replace(/The operator( of this service)? has to/, "The owner of the computer has to")
          .replace("on the service's machine", "there")
  )
})

/** An agent that does nothing any more. */
export const silent = (text: string, after: Duration.Duration): Wire.Reply => ({
  msgType: "error",
  text: joined(
    text,
    `The agent gave no sign for ${Duration.format(after)}, so it was stopped. You can send your message again.`
  )
})

/** An answer that the service refuses, because it is longer than it allows, say. */
export const notTaken: Wire.Reply = {
  msgType: "error",
  text: "The agent has answered, but the service did not take the answer. Ask for a shorter one."
}

const joined = (...parts: ReadonlyArray<string>): string => {
  const text = parts.filter((part) => part !== "").join("\n\n")
  if (JsonSize.of(text) <= Wire.maxReply) return text
  return JsonSize.head(text, Wire.maxReply - JsonSize.of(leftOut)) + leftOut
}

const leftOut = "\n\n(The answer was longer; the rest is left out.)"

const silentEnd = "The agent has finished; it had nothing to say."

const endings: ReadonlyMap<string, string> = new Map([
  ["cancelled", "(The turn was cancelled.)"],
  ["max_tokens", "(The answer ends here because the agent's model reached its limit.)"],
  ["max_turn_requests", "(The agent stopped because it reached its limit of steps.)"],
  ["refusal", "(The agent refused to go on.)"]
])
