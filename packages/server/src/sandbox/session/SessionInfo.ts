import { field, isRecord } from "../../internal/Json.ts"

/** The answer to `initialize`: the agent's abilities, as far as they reach through the service. */
export const initializeResult = (initializeResponse: unknown): object => {
  const info = field(initializeResponse, "agentInfo")
  return {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      // The service stores the files of prompts, so it takes what the agent does not (contract decision 120).
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      // No `session/resume`: a client would miss what was said while it was away.
      sessionCapabilities: { list: {} }
    },
    authMethods: [],
    ...(isRecord(info) ? { agentInfo: info } : {})
  }
}

/** The session information from the agent, without the agent's own session id: clients see the id of the task. */
export const withoutId = (sessionInfo: unknown): object => {
  const { sessionId: _, ...session } = isRecord(sessionInfo) ? sessionInfo : {}
  return session
}

/** Keeps the answer of a later `session/load` in step with what the agent changed. */
export const withUpdate = (sessionInfo: unknown, kind: string | undefined, update: unknown): unknown => {
  if (!isRecord(sessionInfo) || !isRecord(update)) return sessionInfo
  if (kind === "config_option_update") return { ...sessionInfo, configOptions: update["configOptions"] }
  const { modes } = sessionInfo
  if (kind === "current_mode_update" && isRecord(modes)) {
    return { ...sessionInfo, modes: { ...modes, currentModeId: update["currentModeId"] } }
  }
  return sessionInfo
}
