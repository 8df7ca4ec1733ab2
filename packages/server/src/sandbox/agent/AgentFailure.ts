import type { AgentNotFound, TransportError, UnsupportedVersion } from "@heddle/acp/AcpError"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Schema from "effect/Schema"
import * as Os from "node:os"

/** The agent could not be started or died; `message` tells the person in the thread what happened and what it cost. */
export class AgentFailure extends Schema.TaggedError<AgentFailure>()("AgentFailure", {
  reason: Schema.Literal("not_found", "exited", "silent", "version", "sign_in", "refused", "lost"),
  message: Schema.String,
  /** The most telling line of what the agent wrote, where there is one. */
  detail: Schema.optional(Schema.String)
}) {}

/** What the agent was doing when it failed. */
export type Phase = "starting" | "working"

/** Words a failure of the agent for the person in the thread. `command` is the program's name as configured. */
export const fromError = (
  error: TransportError | AgentNotFound | UnsupportedVersion | JsonRpc.RpcError,
  command: string,
  phase: Phase
): AgentFailure => {
  switch (error._tag) {
    case "AgentNotFound":
      return new AgentFailure({
        reason: "not_found",
        message: `The agent "${command}" could not be started: its program was not found or may not be executed. ${unchanged} The operator of this service has to correct the agent command.`
      })
    case "AgentExited": {
      const signal = error.signal ?? signalOf(error.code)
      const how = signal === undefined ? `status ${error.code ?? "unknown"}` : `signal ${signal}`
      const detail = lastWords(error.stderr)
      const said = detail === undefined ? "" : ` Its last words: "${detail}".`
      return phase === "starting"
        ? new AgentFailure({
            reason: "exited",
            message: `The agent "${command}" ended by itself while it was being started (${how}).${said} ${unchanged}`,
            ...(detail === undefined ? {} : { detail })
          })
        : new AgentFailure({
            reason: "exited",
            message: `The agent "${command}" ended unexpectedly in the middle of the turn (${how}).${said} What it had done until then stays; nothing was charged. Send your message again to start the agent anew.`,
            ...(detail === undefined ? {} : { detail })
          })
    }
    case "UnsupportedVersion":
      return new AgentFailure({
        reason: "version",
        message: `The agent "${command}" speaks version ${String(error.answered)} of the Agent Client Protocol; this service speaks version ${error.offered}. ${unchanged} The operator has to install a matching agent.`
      })
    case "RpcError":
      return error.code === JsonRpc.ErrorCode.authenticationRequired
        ? new AgentFailure({
            reason: "sign_in",
            message: `The agent "${command}" asks for a sign-in before it works (${error.message}). ${unchanged} The operator has to sign the agent in on the service's machine.`
          })
        : new AgentFailure({
            reason: "refused",
            message: `The agent "${command}" refused to open a session: ${error.message}. ${unchanged}`
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

/** Words the silence of an agent that was started; `sample` is what it wrote instead of an answer. */
export const silent = (command: string, seconds: number, waitedFor: string, said: string | undefined): AgentFailure =>
  new AgentFailure({
    reason: "silent",
    message: `The agent "${command}" did not answer ${waitedFor} within ${seconds} seconds.${said === undefined ? "" : ` It wrote instead: "${said}".`} ${unchanged} Is it an ACP agent?`,
    ...(said === undefined ? {} : { detail: said })
  })

/** Words that a program which was started writes something else than the protocol; `sample` is the first of it. */
export const noAgent = (command: string, sample: string): AgentFailure =>
  new AgentFailure({
    reason: "silent",
    message: `The agent "${command}" writes something that is not the Agent Client Protocol: "${sample}". ${unchanged} Is it an ACP agent, and does its command switch the protocol on?`,
    detail: sample
  })

/** Words that no agent is started any more. */
export const stopping = (command: string): AgentFailure =>
  new AgentFailure({
    reason: "lost",
    message: `The service is stopping, so the agent "${command}" was not started. ${unchanged} Send your message again in a moment.`
  })

/** The failure as the answer to a client's request. */
export const toRpcError = (failure: AgentFailure): JsonRpc.RpcError =>
  new JsonRpc.RpcError({
    code: JsonRpc.ErrorCode.internalError,
    message: failure.message,
    data: { reason: `agent_${failure.reason}`, ...(failure.detail === undefined ? {} : { detail: failure.detail }) }
  })

/**
 * The failure with what can be done next, when it came before the agent had the prompt; `final` when the task ends
 * with it.
 */
export const withNextStep = (failure: AgentFailure, final: boolean): AgentFailure =>
  new AgentFailure({
    ...failure,
    message: `${failure.message} ${final ? "This task cannot go on: when that is put right, start a new one." : "When that is put right, send your message again."}`
  })

/** The signal that a status stands for by the custom of shells and sandboxes. */
const signalOf = (status: number | null): string | undefined =>
  Object.entries(Os.constants.signals).find(([, number]) => number + 128 === status)?.[0]

/**
 * The line of a program's last words that tells most, at most 300 characters: the last error, else the last that is no
 * trimmings.
 */
const lastWords = (text: string): string | undefined => {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !trimmings.test(line))
  return (lines.findLast((line) => /error\b/i.test(line)) ?? lines.at(-1))?.slice(0, 300)
}

/**
 * What runtimes print around an error: stack frames, the source line with its marker, their own version, closing
 * braces.
 */
const trimmings = /^(at |node:|file:\/\/|File "|Traceback|throw |Node\.js v|[\^~{}()[\]]+$)/

const unchanged = "Nothing was done and nothing was charged."
