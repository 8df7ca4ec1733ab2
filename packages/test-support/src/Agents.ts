import { fileURLToPath } from "node:url"

/** The file of an ACP agent that does what the message says, one command a line. */
export const scriptedAgent = fileURLToPath(new URL("scripted-agent.mjs", import.meta.url))

/** The file of an ACP agent that has modes, models, options and commands, as its flags say. */
export const choosingAgent = fileURLToPath(new URL("choosing-agent.mjs", import.meta.url))
