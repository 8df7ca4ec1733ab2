import type { AcpError, AgentNotFound, Detached, UnsupportedContent } from "@heddle/acp/AcpError"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Os from "node:os"

/** The errors of the agent. */
export type AgentError = AcpError | AgentNotFound | Detached | UnsupportedContent

/** Describes an error of the agent as a part of a sentence, without a full stop. */
export const describe = (error: AgentError, name: string): string => {
  switch (error._tag) {
    case "AgentNotFound":
      return `the agent "${name}" could not be started: its program was not found or may not be executed`
    case "AgentExited": {
      const line = lastErrorLine(error.stderr)
      const outputNote = line === undefined ? "" : `. Its last words: "${line}"`
      return `the agent "${name}" ended unexpectedly (${exitOf(error)})${outputNote}`
    }
    case "UnsupportedVersion":
      return `the agent "${name}" speaks version ${String(error.answered)} of the Agent Client Protocol; this program speaks version ${error.offered}`
    case "RpcError":
      return error.code === JsonRpc.ErrorCode.authenticationRequired
        ? `the agent "${name}" asks for a sign-in before it works (${error.message})`
        : `the agent answered with an error: ${error.message}`
    default:
      return `the connection to the agent "${name}" broke (${error.message})`
  }
}

const exitOf = ({ code, signal }: { readonly code: number | null; readonly signal: string | null }): string => {
  // Shells report the end by a signal as a status above 128.
  const name = signal ?? Object.entries(Os.constants.signals).find(([, number]) => number + 128 === code)?.[0]
  return name === undefined ? `status ${code ?? "unknown"}` : `signal ${name}`
}

/** The last error on standard error, else its last line; at most 300 characters. */
const lastErrorLine = (stderr: string): string | undefined => {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  return (lines.findLast((line) => /error\b/i.test(line)) ?? lines.at(-1))?.slice(0, 300)
}
