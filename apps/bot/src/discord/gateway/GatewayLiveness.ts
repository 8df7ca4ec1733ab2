import { type Client, Events, Status } from "discord.js"

/** Whether the gateway is connected and alive. */
export interface GatewayLiveness {
  readonly isConnected: () => boolean
  /** Why no events arrive; undefined while the gateway is connected and alive. */
  readonly silence: () => string | undefined
  /** The time since which no event was missed, in epoch milliseconds; undefined while disconnected. */
  readonly connectedSince: () => number | undefined
}

/** `onHeartbeat` calls its listener whenever Discord acknowledges a heartbeat. */
export const make = (
  client: Client,
  onHeartbeat: (listener: () => void) => void,
  silentAfterMs: number
): GatewayLiveness => {
  let sessionSince = Date.now()
  /** The last sign of life: an event or an acknowledged heartbeat; by a clock that nobody sets. */
  let heardAt = performance.now()
  let closeCode: number | undefined
  const hear = () => {
    heardAt = performance.now()
  }
  onHeartbeat(hear)
  client
    .on(Events.ShardReady, () => {
      sessionSince = Date.now()
      hear()
      closeCode = undefined
    })
    .on(Events.Raw, hear)
    // After this event the client does not reconnect by itself.
    .on(Events.ShardDisconnect, ({ code }) => {
      closeCode = code
    })
  // After the first login the client always reports ready; its shards report the current state.
  const isConnected = () => client.ws.shards.every(({ status }) => status === Status.Ready)
  return {
    isConnected,
    silence: () => {
      if (closeCode !== undefined) {
        return `Discord has ended the login with code ${closeCode}${closeReasons.get(closeCode) ?? ""}. Put that right and start the bot again.`
      }
      if (!isConnected()) return "The connection to Discord's gateway is lost; it is being made again."
      const forMs = performance.now() - heardAt
      return forMs > silentAfterMs
        ? `Discord's gateway has shown no life for ${Math.round(forMs / 1000)} s.`
        : undefined
    },
    connectedSince: () => (isConnected() ? sessionSince : undefined)
  }
}

const closeReasons = new Map([
  [4004, " (the bot token is not good any more)"],
  [4013, " (it does not know the intents)"],
  [4014, " (it does not grant the intents: turn them on in the developer portal)"]
])
