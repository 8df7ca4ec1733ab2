import type { Messages } from "../../messages/Messages.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import type { CommandHandler } from "../Command.ts"
import * as AgentChoice from "./AgentChoice.ts"

const command = (
  kind: "mode" | "model",
  texts: (messages: Messages) => readonly [description: string, option: string]
): CommandHandler<AgentChoice.Requirements> => {
  const target = { kind }
  return {
    path: `task ${kind}`,
    describe: (messages) => {
      const [description, option] = texts(messages)
      return { description, options: [AgentChoice.suggestedOption(kind, option)] }
    },
    suggest: AgentChoice.suggestFrom((offers, _, messages) =>
      AgentChoice.valuesOf(AgentOffers.find(offers, target), messages)
    ),
    answers: "privately",
    action: AgentChoice.chooseAction(() => target, kind),
    handle: (event, messages) => AgentChoice.choose(event, target, kind, messages)
  }
}

/** `/task mode`: chooses the mode of the agent. */
export const TaskMode = command("mode", ({ commands: { taskMode } }) => [taskMode.description, taskMode.mode])

/** `/task model`: chooses the model of the agent. */
export const TaskModel = command("model", ({ commands: { taskModel } }) => [taskModel.description, taskModel.model])
