import {
  Client,
  GatewayIntentBits,
  Options,
  Partials,
  SimpleShardingStrategy,
  WebSocketShardDestroyRecovery
} from "discord.js"
import type { EventEmitter } from "node:events"
import { Agent } from "undici"

/** The discord.js client with the bot's intents, caches and connections, a way to begin a new gateway session, and its heartbeats. */
export const make = ({ api, readsMessages }: { readonly api: string | undefined; readonly readsMessages: boolean }) => {
  let gateway: SimpleShardingStrategy | undefined
  let heard = () => {}
  const client = new Client({
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildMessages,
      GatewayIntentBits.DirectMessages,
      ...(readsMessages ? [GatewayIntentBits.MessageContent] : [])
    ],
    // These partials deliver events about uncached messages and direct messages.
    partials: [Partials.Message, Partials.Channel],
    makeCache: Options.cacheWithLimits(kept),
    ws: {
      buildStrategy: (manager) => {
        // discord.js passes this event on as a time of day only.
        ;(manager as unknown as EventEmitter).on("heartbeat", () => heard())
        return (gateway = new SimpleShardingStrategy(manager))
      }
    },
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
  /** Ends the session of each shard, which then identifies. */
  const identifyAgain = async (): Promise<void> => {
    // No public method ends a session and connects again.
    const shards = gateway?.["shards"].values() ?? []
    const options = { reason: "RESUME was not answered", recover: WebSocketShardDestroyRecovery.Reconnect }
    await Promise.all([...shards].map((shard) => shard.destroy({ ...options })))
  }
  const onHeartbeat = (listener: () => void): void => void (heard = listener)
  return { client, identifyAgain, onHeartbeat }
}

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
