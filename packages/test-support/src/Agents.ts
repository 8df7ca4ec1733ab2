import { fileURLToPath } from "node:url"

/** The file of an ACP agent that does what the message says, one command a line. */
export const scriptedAgent = fileURLToPath(new URL("scripted-agent.mjs", import.meta.url))
