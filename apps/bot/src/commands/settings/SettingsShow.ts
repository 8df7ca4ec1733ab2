import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { GuildSettings } from "../../store/GuildSettings.ts"
import { Rules } from "../../store/Rules.ts"
import { truncateLines } from "../../text/Truncate.ts"
import type { CommandHandler } from "../Command.ts"

/** `/settings show`: the server's settings, and the defaults of the others. */
export const SettingsShow: CommandHandler<GuildSettings | Rules> = {
  path: "settings show",
  describe: ({ commands }) => ({ ...commands.settingsShow, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("SettingsShow.handle")(function* ({ reply }, { agent, settings, turnPosts }) {
    const guildId = reply.guildId ?? ""
    const rules = yield* (yield* Rules).of(guildId)
    const defaults = yield* (yield* GuildSettings).agentDefaults(guildId)
    const language = Option.getOrNull(yield* (yield* GuildSettings).language(guildId))
    const lines = [
      settings.language(language),
      ...defaults.map((each) => agent.defaults(each)),
      agent.howToSetDefaults,
      "",
      `**${settings.rulesTitle}**`,
      ...(rules.length === 0 ? [settings.noRules] : rules.map((rule) => `- ${settings.rule(rule)}`)),
      "",
      settings.withoutRule,
      "",
      settings.whereToChange
    ]
    return Option.some({
      content: "",
      embeds: [{ title: settings.title, description: truncateLines(lines.join("\n"), 4000, turnPosts.moreCharacters) }]
    })
  })
}
