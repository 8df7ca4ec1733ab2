import { field } from "../../internal/Json.ts"
import type { SessionContext } from "./SessionContext.ts"

/** The MCP servers that clients name for the agent. */
export interface McpServers {
  /**
   * Takes the `mcpServers` of a request that opens the session. Returns why they are refused, or undefined. The agent gets
   * them when its session opens, so a running agent starts again once it has no turn.
   */
  readonly take: (params: unknown) => string | undefined
  /** Whether the agent has servers that clients named. */
  readonly areNamed: () => boolean
  /** Starts the agent again at the end of a turn, if servers were named during it. */
  readonly handleTurnEnd: () => void
}

/** Only in memory: they may hold secrets, and a client names them again with its next session. */
export const make = (
  { fork, host, options }: Pick<SessionContext, "fork" | "host" | "options">,
  isRunning: () => boolean
): McpServers => {
  let known = none
  let isDue = false
  return {
    take: (params) => {
      const servers = field(params, "mcpServers")
      if (!Array.isArray(servers) || servers.length === 0) return undefined
      if (!options.clientMcpServers) return notAllowed
      const text = JSON.stringify(servers)
      if (servers.length > maxServers || text.length > maxChars) return tooMany
      if (text === known) return undefined
      known = text
      host.setMcpServers(servers)
      if (isRunning()) isDue = true
      else fork(host.stop)
      return undefined
    },
    areNamed: () => known !== none,
    handleTurnEnd: () => {
      if (!isDue) return
      isDue = false
      fork(host.stop)
    }
  }
}

const notAllowed =
  "This service does not pass the MCP servers of clients to its agent, so the session was not opened. Send an empty mcpServers. The operator can allow it with --client-mcp-servers on."

const none = "[]"

const maxServers = 32
const maxChars = 64 * 1024

const tooMany = `At most ${maxServers} MCP servers and ${maxChars} characters of them are taken, so the session was not opened.`
