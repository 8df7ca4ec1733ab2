import { field, isRecord, stringField } from "../../internal/Json.ts"
import type { Choice } from "./Controls.ts"
import * as Controls from "./Controls.ts"

/** The answer to `initialize`: the agent's abilities, as far as they reach through the service. */
export const initializeResult = (initializeResponse: unknown, passesMcpServers: boolean): object => {
  const info = field(initializeResponse, "agentInfo")
  const mcp = field(field(initializeResponse, "agentCapabilities"), "mcpCapabilities")
  const passesMcp = (kind: string) => passesMcpServers && field(mcp, kind) === true
  return {
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      // The service stores the files of prompts, so it takes what the agent does not (contract decision 120).
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: passesMcp("http"), sse: passesMcp("sse") },
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

/** What a client gets of the session: with the choices in it, and with switches only where the client knows them. */
export const present = (sessionInfo: unknown, choices: ReadonlyArray<Choice>): object => {
  const chosen = choices.reduce((info, choice) => {
    const control = Controls.find(info, choice)
    return control !== undefined && Controls.offers(control, choice.value) ? Controls.withChoice(info, choice) : info
  }, sessionInfo)
  return withoutId(Controls.withModelOption(chosen))
}

/** The updates that tell clients what changed between two presentations; the first one is told by no update. */
export const updatesBetween = (before: object, after: object): ReadonlyArray<object> => {
  const currentModeId = field(field(after, "modes"), "currentModeId")
  const configOptions = field(after, "configOptions")
  const modesBefore = field(before, "modes")
  const isNewMode = isRecord(modesBefore) && modesBefore["currentModeId"] !== currentModeId
  const hasNewOptions = Object.keys(before).length > 0 && !isSame(field(before, "configOptions"), configOptions)
  return [
    ...(isNewMode && currentModeId !== undefined ? [{ sessionUpdate: "current_mode_update", currentModeId }] : []),
    ...(hasNewOptions && Array.isArray(configOptions) ? [{ sessionUpdate: configUpdate, configOptions }] : [])
  ]
}

/** The agent's answer to opening its session again; what it leaves out stays as it was. */
export const merged = (previous: unknown, opened: unknown): unknown => {
  const answered = Object.entries(isRecord(opened) ? opened : {}).filter(([, value]) => value !== null)
  return { ...(isRecord(previous) ? previous : {}), ...Object.fromEntries(answered) }
}

/** The session after an update of the agent. */
export const withUpdate = (sessionInfo: unknown, kind: string, update: unknown): unknown => {
  const info = isRecord(sessionInfo) ? sessionInfo : {}
  if (kind === configUpdate) return withOptions(info, field(update, "configOptions"))
  const value = stringField(update, "currentModeId")
  if (value === undefined) return sessionInfo
  const known = isRecord(info["modes"]) ? info : { ...info, modes: { currentModeId: value, availableModes: [] } }
  return Controls.withChoice(known, { of: "mode", id: "", value })
}

/** The session after the agent has taken a choice; for an option, its answer has all options. */
export const withResult = (sessionInfo: unknown, choice: Choice, result: unknown): unknown => {
  const configOptions = field(result, "configOptions")
  return choice.of === "option" && Array.isArray(configOptions)
    ? withOptions(isRecord(sessionInfo) ? sessionInfo : {}, configOptions)
    : Controls.withChoice(sessionInfo, choice)
}

/** The session without the options that are on or off, for clients that know only lists. */
export const withoutSwitches = (session: object): object => {
  const configOptions = field(session, "configOptions")
  if (!Array.isArray(configOptions)) return session
  return { ...session, configOptions: configOptions.filter((option) => field(option, "type") !== "boolean") }
}

/** The kind of the update with all options. */
export const configUpdate = "config_option_update"

/** Takes new options; a mode or a model among them is that of the session, too. */
const withOptions = (info: Readonly<Record<string, unknown>>, configOptions: unknown): unknown =>
  Controls.of({ configOptions }).reduce<unknown>(
    (changed, { category, current, id, of }) =>
      (category === "mode" || category === "model") && typeof current === "string"
        ? Controls.withChoice(changed, { of, id, value: current })
        : changed,
    { ...info, configOptions }
  )

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
