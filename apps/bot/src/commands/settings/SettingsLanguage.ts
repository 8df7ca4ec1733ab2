import { ApplicationCommandOptionType } from "../../discord/ApplicationCommands.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { GuildSettings } from "../../store/GuildSettings.ts"
import { TaskHeaders } from "../../outbox/TaskHeaders.ts"
import { Inbox } from "../../store/Inbox.ts"
import * as ThreadOwner from "../../turn/ThreadOwner.ts"
import { Threads } from "../../store/Threads.ts"
import { type CommandHandler, say } from "../Command.ts"

/** `/settings language`: the bot's language for public texts in the server. */
export const SettingsLanguage: CommandHandler<
  GuildSettings | Inbox | TaskHeaders | ThreadOwner.Requirements | Threads
> = {
  path: "settings language",
  describe: ({ commands: { settingsLanguage } }) => ({
    description: settingsLanguage.description,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: "language",
        description: settingsLanguage.language,
        required: true,
        choices: [
          { name: "English", value: "en-US" },
          { name: "简体中文", value: "zh-CN" },
          { name: settingsLanguage.asAtDiscord, value: asAtDiscord }
        ]
      }
    ]
  }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("SettingsLanguage.handle")(function* ({ options, reply }, messages) {
    const chosen = String(options["language"] ?? asAtDiscord)
    const locale = chosen === asAtDiscord ? Option.none() : Option.some(chosen)
    const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
    yield* (yield* GuildSettings).setLanguage(reply.guildId ?? "", locale, by)
    yield* (yield* TaskHeaders).refresh
    yield* redrawn(reply.guildId ?? "")
    return Option.some(say(messages.settings.languageSet(Option.getOrNull(locale))))
  })
}

/** Shows the posts of running turns in the server's new language. */
const redrawn = Effect.fnUntraced(function* (guildId: string) {
  const threads = yield* Threads
  const busy = new Set((yield* (yield* Inbox).pending).map(({ threadId }) => threadId))
  for (const threadId of busy) {
    const thread = yield* threads.find(threadId)
    if (Option.isSome(thread) && thread.value.guildId === guildId) yield* ThreadOwner.queueChanged(threadId)
  }
})

const asAtDiscord = "discord"
