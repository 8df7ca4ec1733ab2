import { type Client, Events, Status } from "discord.js"

/** Whether Discord's gateway is connected and shows signs of life. */
export interface GatewayLiveness {
  readonly isConnected: () => boolean
  /** Why no events come from Discord, in words; undefined while the gateway is connected and shows signs of life. */
  readonly silence: () => string | undefined
  /** Since when every event was received, in epoch milliseconds; undefined while the gateway is away. */
  readonly toldSince: () => number | undefined
}

export const make = (client: Client, silentAfterMs: number): GatewayLiveness => {
  let sessionSince = Date.now()
  let heardAt = Date.now()
  let closeCode: number | undefined
  client
    .on(Events.ShardReady, () => {
      sessionSince = Date.now()
      heardAt = Date.now()
      closeCode = undefined
    })
    .on(Events.Raw, () => {
      heardAt = Date.now()
    })
    // After this event, the client does not reconnect by itself.
    .on(Events.ShardDisconnect, ({ code }) => {
      closeCode = code
    })
  // Once logged in, the client calls itself ready for ever; its shards tell the truth.
  const isConnected = () => client.ws.shards.every(({ status }) => status === Status.Ready)
  /** The newest sign of life: an event, or the last answered heartbeat. */
  const lastSign = () => Math.max(heardAt, ...client.ws.shards.map(({ lastPingTimestamp }) => lastPingTimestamp))
  return {
    isConnected,
    silence: () => {
      if (closeCode !== undefined) {
        return `Discord has ended the login with code ${closeCode}${closeReasons.get(closeCode) ?? ""}. Put that right and start the bot again.`
      }
      if (!isConnected()) return "The connection to Discord's gateway is lost; it is being made again."
      const forMs = Date.now() - lastSign()
      return forMs > silentAfterMs
        ? `Discord's gateway has shown no life for ${Math.round(forMs / 1000)} s.`
        : undefined
    },
    toldSince: () => (isConnected() ? sessionSince : undefined)
  }
}

const closeReasons = new Map([
  [4004, " (the bot token is not good any more)"],
  [4013, " (it does not know the intents)"],
  [4014, " (it does not grant the intents: turn them on in the developer portal)"]
])
