import { create } from "./0001_initial.ts"
import { addAgents } from "./0002_agents.ts"
import { addRequestPlaces } from "./0003_request_places.ts"
import { extendAgentDefaults } from "./0004_agent_defaults.ts"
import { addEarlierTasks } from "./0005_earlier_tasks.ts"
import { countToldChanges } from "./0006_told_changes.ts"
import { addHandedOverAnswers } from "./0007_handed_over_answers.ts"
import { addWholeDetails } from "./0008_whole_details.ts"

/** Every migration in order; a released one never changes. */
export const migrations = {
  "0001_initial": create,
  "0002_agents": addAgents,
  "0003_request_places": addRequestPlaces,
  "0004_agent_defaults": extendAgentDefaults,
  "0005_earlier_tasks": addEarlierTasks,
  "0006_told_changes": countToldChanges,
  "0007_handed_over_answers": addHandedOverAnswers,
  "0008_whole_details": addWholeDetails
}
