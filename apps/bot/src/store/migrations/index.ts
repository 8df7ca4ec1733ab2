import { create } from "./0001_initial.ts"
import { addAgents } from "./0002_agents.ts"

/** Every migration in order; a released one never changes. */
export const migrations = {
  "0001_initial": create,
  "0002_agents": addAgents
}
