import type { SlashCommand } from "../../discord/DiscordEvent.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import type { CommandHandler } from "../Command.ts"
import * as AgentChoice from "./AgentChoice.ts"

/** `/task options`: sets another option of the agent. */
export const TaskOptions: CommandHandler<AgentChoice.Requirements> = {
  path: "task options",
  describe: ({ commands: { taskOptions } }) => ({
    description: taskOptions.description,
    options: [
      AgentChoice.suggestedOption("option", taskOptions.option),
      AgentChoice.suggestedOption("value", taskOptions.value)
    ]
  }),
  suggest: AgentChoice.suggestFrom((offers, event, messages) =>
    event.focused.name === "value"
      ? AgentChoice.valuesOf(AgentOffers.find(offers, target(event)), messages)
      : offers.options.map(({ configId = "", name }) => ({ name, value: configId }))
  ),
  answers: "privately",
  action: AgentChoice.chooseAction((event) => target(event), "value"),
  handle: (event, messages) => AgentChoice.choose(event, target(event), "value", messages)
}

const target = ({ options }: Pick<SlashCommand, "options">): AgentOffers.Target => ({
  kind: "option",
  configId: String(options["option"] ?? "").trim()
})
