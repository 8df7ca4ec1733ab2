import { ApplicationCommandOptionType, ChannelType } from "../../discord/ApplicationCommands.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog } from "../../store/AuditLog.ts"
import { DiscordApi } from "../../discord/DiscordApi.ts"
import { DiscordClient } from "../../discord/DiscordClient.ts"
import { isNotWritable } from "../../discord/DiscordError.ts"
import { tell } from "../../messages/Explain.ts"
import { type Languages, messagesFor } from "../../store/Languages.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type CommandHandler, say } from "../Command.ts"

/** `/settings welcome`: the bot introduces itself in a channel, only on request. */
export const Welcome: CommandHandler<AuditLog | DiscordApi | DiscordClient | Languages> = {
  path: "settings welcome",
  describe: ({ commands }) => ({
    description: commands.settingsWelcome.description,
    options: [
      {
        type: ApplicationCommandOptionType.Channel,
        name: "channel",
        description: commands.settingsWelcome.channel,
        channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement]
      }
    ]
  }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("Welcome.handle")(function* ({ options, reply }, messages) {
    const { readsMessages } = yield* DiscordClient
    const { help } = yield* messagesFor(reply.guildId ?? "")
    const channelId = String(options["channel"] ?? reply.parentId ?? reply.channelId)
    const content = help.welcome(readsMessages ? "" : help.mentionMe)
    const note = (yield* AuditLog).record({
      eventId: reply.id,
      guildId: reply.guildId ?? "",
      at: yield* Clock.currentTimeMillis,
      actorId: reply.userId,
      threadId: undefined,
      action: { _tag: "Welcomed", channelId }
    })
    // The interaction's id as the nonce keeps repeated sends to one message.
    return yield* (yield* DiscordApi).create(channelId, { content }, { nonce: reply.id }).pipe(
      // The log entry is optional: the message itself is visible.
      Effect.zipRight(note),
      Effect.as(messages.help.welcomed(channelId)),
      Effect.catchAll((error) =>
        Effect.succeed(
          tell(
            messages,
            isNotWritable(error)
              ? messages.failures.cannotPost
              : messages.failures.discordRefused(oneLine(error.description, 200))
          )
        )
      ),
      Effect.map((words) => Option.some(say(words)))
    )
  })
}
