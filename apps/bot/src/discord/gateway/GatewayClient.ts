import { Client, GatewayIntentBits, Options, Partials } from "discord.js"
import { Agent } from "undici"

/** The discord.js client with the bot's intents, caches and connections. */
export const make = ({ api, readsMessages }: { readonly api: string | undefined; readonly readsMessages: boolean }) =>
  new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      ...(readsMessages ? [GatewayIntentBits.MessageContent] : [])
    ],
    // These partials deliver events about uncached messages and direct messages.
    partials: [Partials.Message, Partials.Channel],
    makeCache: Options.cacheWithLimits(kept),
    // Two majors of undici share one global dispatcher, and the newer one cannot send discord.js's files.
    rest: {
      // Kept connections speed up the next call; parallel calls do not need one each.
      agent: new Agent({ connections: 64, keepAliveTimeout: 30_000 }),
      ...(api === undefined ? {} : { api }),
      // The bot's rate limiter paces channel calls: a 429 fails at once instead of resending old text.
      rejectOnRateLimit: ({ route }) => route.startsWith("/channels/"),
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      offset: 0
    }
  })

/** Events and rows carry the needed data, so the cache keeps only recent users. */
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
