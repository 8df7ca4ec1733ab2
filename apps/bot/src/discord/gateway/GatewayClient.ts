import { Client, GatewayIntentBits, Options, Partials } from "discord.js"
import { Agent } from "undici"

/** The discord.js client with the intents, caches and connections that the bot needs. */
export const make = ({ api, readsMessages }: { readonly api: string | undefined; readonly readsMessages: boolean }) =>
  new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      ...(readsMessages ? [GatewayIntentBits.MessageContent] : [])
    ],
    // Without these there are no events about messages that this process has not seen, nor about direct messages.
    partials: [Partials.Message, Partials.Channel],
    makeCache: Options.cacheWithLimits(kept),
    // Two majors of undici share one global dispatcher, and the newer one cannot send discord.js's files.
    rest: {
      // Kept connections make the next call fast; many calls at once do not need one each.
      agent: new Agent({ connections: 64, keepAliveTimeout: 30_000 }),
      ...(api === undefined ? {} : { api }),
      // The rate limiter paces calls in channels: what Discord refuses comes back instead of waiting with old text.
      rejectOnRateLimit: ({ route }) => route.startsWith("/channels/"),
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      offset: 0
    }
  })

/** Events and rows carry what the bot needs: of people, only those of the newest events are kept. */
const people = {
  maxSize: 200,
  keepOverLimit: ({ client, id }: { readonly client: Client; readonly id: string }) => id === client.user?.id
}

const kept = {
  ...Options.DefaultMakeCacheSettings,
  GuildMemberManager: people,
  MessageManager: 0,
  ReactionManager: 0,
  ThreadMemberManager: 0,
  UserManager: people
}
