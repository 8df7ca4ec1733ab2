import type { AgentNotFound, TransportError, UnsupportedVersion } from "@heddle/acp/AcpError"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Schema from "effect/Schema"
import * as Os from "node:os"
import { field } from "../../internal/Json.ts"

/** The agent is not offered, could not start, died, or could not get the files of a prompt; `message` is for the person in the thread. */
export class AgentFailure extends Schema.TaggedError<AgentFailure>()("AgentFailure", {
  reason: Schema.Literal(
    "not_offered",
    "not_found",
    "exited",
    "silent",
    "version",
    "sign_in",
    "refused",
    "lost",
    "limit",
    "attachments"
  ),
  message: Schema.String,
  /** The most informative line of the agent's output, where there is one. */
  detail: Schema.optional(Schema.String)
}) {}

/** The phase in which the agent failed. */
export type Phase = "starting" | "working"

/** Makes the failure for an error of the agent; `command` is the program's name as configured. */
export const fromError = (
  error: TransportError | AgentNotFound | UnsupportedVersion | JsonRpc.RpcError,
  command: string,
  phase: Phase
): AgentFailure => {
  switch (error._tag) {
    case "AgentNotFound":
      return new AgentFailure({
        reason: "not_found",
        message: `The agent "${command}" could not be started: its program was not found or may not be executed. ${nothingDone} The operator of this service has to correct the agent command.`
      })
    case "AgentExited": {
      const signal = error.signal ?? signalOf(error.code)
      const ending = signal === undefined ? `status ${error.code ?? "unknown"}` : `signal ${signal}`
      const detail = lastErrorLine(error.stderr)
      const outputNote = detail === undefined ? "" : ` Its last words: "${detail}".`
      return phase === "starting"
        ? new AgentFailure({
            reason: "exited",
            message: `The agent "${command}" ended by itself while it was being started (${ending}).${outputNote} ${nothingDone}`,
            ...(detail === undefined ? {} : { detail })
          })
        : new AgentFailure({
            reason: "exited",
            message: `The agent "${command}" ended unexpectedly in the middle of the turn (${ending}).${outputNote} What it had done until then stays; nothing was charged. Send your message again to start the agent anew.`,
            ...(detail === undefined ? {} : { detail })
          })
    }
    case "UnsupportedVersion":
      return new AgentFailure({
        reason: "version",
        message: `The agent "${command}" speaks version ${String(error.answered)} of the Agent Client Protocol; this service speaks version ${error.offered}. ${nothingDone} The operator has to install a matching agent.`
      })
    case "RpcError":
      return new AgentFailure({
        reason: "refused",
        message: `The agent "${command}" refused to open a session: ${error.explanation.replace(/\.$/, "")}. ${nothingDone}`
      })
    case "ConnectionLost":
    case "ChannelRefused":
    case "TicketError":
      return new AgentFailure({
        reason: "lost",
        message: `The connection to the agent "${command}" broke (${error.description}). Nothing was charged. Send your message again to start the agent anew.`
      })
  }
}

/** Makes the failure of an agent that does not respond; `output` is its invalid output, where there is any. */
export const fromSilence = (
  command: string,
  seconds: number,
  method: string,
  output: string | undefined
): AgentFailure =>
  new AgentFailure({
    reason: "silent",
    message: `The agent "${command}" did not answer ${method} within ${seconds} seconds.${output === undefined ? "" : ` It wrote instead: "${output}".`} ${nothingDone} Is it an ACP agent?`,
    ...(output === undefined ? {} : { detail: output })
  })

/** Makes the failure of a program that writes something other than the protocol; `sample` is the first invalid line. */
export const fromInvalidOutput = (command: string, sample: string): AgentFailure =>
  new AgentFailure({
    reason: "silent",
    message: `The agent "${command}" writes something that is not the Agent Client Protocol: "${sample}". ${nothingDone} Is it an ACP agent, and does its command switch the protocol on?`,
    detail: sample
  })

/** Makes the failure of a task whose agent the operator has taken away. */
export const fromMissing = (agent: string, offered: ReadonlyArray<string>): AgentFailure => {
  const choice = offered.length > 1 ? `; it can have the agent ${offered.join(" or ")}` : ""
  return new AgentFailure({
    reason: "not_offered",
    message: `This task works with the agent "${agent}", which this service no longer offers. ${nothingDone} Start a new task${choice}. To go on with this one, the operator has to offer "${agent}" again, with --agent ${agent}="COMMAND …".`
  })
}

/** Makes the failure of an agent that does not start because the service is stopping. */
export const fromStopping = (command: string): AgentFailure =>
  new AgentFailure({
    reason: "lost",
    message: `The service is stopping, so the agent "${command}" was not started. ${nothingDone} Send your message again in a moment.`
  })

/** Makes the failure of an agent that does not start because as many as may run are at work. */
export const fromLimit = (limit: number, of: "service" | "user"): AgentFailure => {
  const whose = of === "user" ? "your account may use" : "this service may run"
  return new AgentFailure({
    reason: "limit",
    message: `As many agents as ${whose} at once (${limit}) are at work, and none became free in time. ${nothingDone} Wait until one of these tasks is done, or stop one.`
  })
}

/** Tells whether a later start of the agent may succeed without a change by the operator. */
export const isPassing = ({ reason }: AgentFailure): boolean => reason === "not_offered" || reason === "limit"

/**
 * The failure as the response to a client's request. An error of the agent keeps its shape, but a `reason` in its `data`
 * is not the service's: that `data` becomes the member `agent`.
 */
export const toRpcError = (failure: AgentFailure | JsonRpc.RpcError): JsonRpc.RpcError => {
  if (failure._tag === "AgentFailure") {
    const { detail, message, reason } = failure
    const data = { reason: `agent_${reason}`, ...(detail === undefined ? {} : { output: detail }) }
    return new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.internalError, message, data })
  }
  const { code, data, message } = failure
  return field(data, "reason") === undefined ? failure : new JsonRpc.RpcError({ code, message, data: { agent: data } })
}

/**
 * The failure with the next step for the person, for a failure before the prompt was sent. With `isFinal` the task has
 * failed for good.
 */
export const withNextStep = (failure: AgentFailure, isFinal: boolean): AgentFailure =>
  new AgentFailure({
    ...failure,
    message: `${failure.message} ${isFinal ? "This task cannot go on: when that is put right, start a new one." : failure.reason === "limit" ? "Then send your message again." : "When that is put right, send your message again."}`
  })

/** The signal of an exit status above 128, as shells and sandboxes report it. */
const signalOf = (status: number | null): string | undefined =>
  Object.entries(Os.constants.signals).find(([, number]) => number + 128 === status)?.[0]

/**
 * The most informative line of a program's error output, at most 300 characters: the last one that names a
 * failure, else the last line without {@link runtimeNoise}.
 */
const lastErrorLine = (text: string): string | undefined => {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !runtimeNoise.test(line))
  return (lines.findLast((line) => failureWords.test(line)) ?? lines.at(-1))?.slice(0, 300)
}

const failureWords = /(error|exception|fatal|panic(ked)?|out of memory|segmentation fault)\b/i

/**
 * The lines that runtimes print around an error: stack frames, the source line with its marker, their version, closing
 * braces.
 */
const runtimeNoise = /^(at |node:|file:\/\/|File "|Traceback|throw |Node\.js v|[\^~{}()[\]]+$)/

const nothingDone = "Nothing was done and nothing was charged."
