import type { WebSocket } from "ws"
import type { Parts } from "../context/Context.ts"
import { isTooDeep } from "../validate/Depth.ts"
import { type Fields, isFields } from "../validate/Form.ts"
import { Windows } from "../limits/Windows.ts"
import { CloseCode, closeReason, Intent, Op } from "./Codes.ts"
import { membersChunks, readMembersRequest, wantsAll } from "./Members.ts"
import { readPresence } from "./Presence.ts"
import type { Session } from "./Session.ts"
import type { Wire } from "./Wire.ts"

/** What the gateway does for its connections. */
export interface Sessions {
  /** Begins a session on this connection, or refuses it. */
  readonly identify: (wire: Wire, data: Fields) => Session | undefined
  /** Goes on with a session on this connection, or refuses it. */
  readonly resume: (wire: Wire, data: Fields) => Session | undefined
  /** Tells a session what it asked for. */
  readonly answer: (session: Session, event: string, data: object) => void
  /** The connection of a session is gone; a client that said goodbye will not come back. */
  readonly lost: (session: Session, goodbye: boolean) => void
  /** Tells everybody how the bot shows itself now. */
  readonly showPresence: () => void
}

/** The frames of one connection: heartbeats, what a client may say when, and how often. */
export const serveConnection = (parts: Parts, sessions: Sessions, socket: WebSocket, wire: Wire): void => {
  const { settings, world } = parts
  const { allMembers, gatewayEvents } = settings.limits
  const windows = new Windows(settings.clock.now)
  let begun: Session | undefined
  /** The session of this connection, unless it was ended meanwhile. */
  const current = (): Session | undefined => (begun?.ended === true ? undefined : begun)
  let lastBeat = Date.now()
  const close = (code: number): void => wire.close(code, closeReason[code] ?? "")
  const zombie = setInterval(() => {
    if (Date.now() - lastBeat > settings.heartbeatMs * 1.5) close(CloseCode.timedOut)
  }, settings.heartbeatMs)
  zombie.unref()

  const members = (client: Session, data: unknown): void => {
    const request = readMembersRequest(data)
    if (request === undefined) return close(CloseCode.unknownOp)
    // Discord leaves unanswered what the client has no right to ask for.
    if (request.guildId !== world.realm.guildId || !client.handles(request.guildId)) return
    const { intents } = client.record
    if (wantsAll(request)) {
      if ((intents & Intent.members) === 0) return
      if (allMembers !== undefined) {
        const { resetAt, used } = windows.count("all members", allMembers)
        if (used > allMembers.limit) {
          const { guildId, nonce } = request
          const meta = { guild_id: guildId, ...(nonce === undefined ? {} : { nonce }) }
          return client.send("RATE_LIMITED", {
            opcode: Op.members,
            retry_after: (resetAt - settings.clock.now()) / 1000,
            meta
          })
        }
      }
    }
    for (const chunk of membersChunks(parts, request, { intents, presence: client.presence }))
      sessions.answer(client, "GUILD_MEMBERS_CHUNK", chunk)
  }

  const asClient = (client: Session, op: unknown, data: unknown): void => {
    switch (op) {
      case Op.presence: {
        const presence = readPresence(data)
        if (presence === undefined) return close(CloseCode.unknownOp)
        client.presence = presence
        return sessions.showPresence()
      }
      case Op.members:
        return members(client, data)
      case Op.sounds: {
        const ids = isFields(data) && Array.isArray(data["guild_ids"]) ? data["guild_ids"] : []
        if (ids.includes(world.realm.guildId))
          client.send("SOUNDBOARD_SOUNDS", { guild_id: world.realm.guildId, soundboard_sounds: [] })
        return
      }
      case Op.channelInfo:
        return client.send("CHANNEL_INFO", { guild_id: world.realm.guildId, channels: [] })
      default:
        // Voice channels are not part of this Discord: whoever asks to join one waits in vain, as when it is full.
        return
    }
  }

  const handle = (op: unknown, data: unknown): void => {
    const fields = isFields(data) ? data : {}
    switch (op) {
      case Op.heartbeat:
        lastBeat = Date.now()
        return wire.send(JSON.stringify({ op: Op.ack }))
      case Op.identify:
        if (current() !== undefined) return close(CloseCode.alreadyAuthenticated)
        begun = sessions.identify(wire, fields)
        return
      case Op.resume:
        if (current() !== undefined) return close(CloseCode.alreadyAuthenticated)
        begun = sessions.resume(wire, fields)
        return
      case Op.presence:
      case Op.voice:
      case Op.members:
      case Op.sounds:
      case Op.channelInfo: {
        const session = current()
        return session === undefined ? close(CloseCode.notAuthenticated) : asClient(session, op, data)
      }
      default:
        return close(CloseCode.unknownOp)
    }
  }

  socket.on("message", (bytes) => {
    if (wire.silent()) return
    if (gatewayEvents !== undefined && windows.count("events", gatewayEvents).used > gatewayEvents.limit)
      return close(CloseCode.tooFast)
    const text = String(bytes)
    if (Buffer.byteLength(text) > largestPayload) return close(CloseCode.decode)
    const frame = parse(text)
    if (frame === undefined) return close(CloseCode.decode)
    try {
      handle(frame["op"], frame["d"])
    } catch (cause) {
      // JSON can hold values that turn into no text and no number; one client must not end it for all.
      settings.log(`discord-emulator: gateway frame: ${cause instanceof Error ? cause.message : String(cause)}`)
      close(CloseCode.unknown)
    }
  })
  socket.on("close", (code) => {
    clearInterval(zombie)
    const session = current()
    if (session?.wire === wire) sessions.lost(session, code === 1000 || code === 1001)
  })
  wire.send(JSON.stringify({ op: Op.hello, s: null, t: null, d: { heartbeat_interval: settings.heartbeatMs } }))
}

/** The most that a client may send at once, in bytes. */
const largestPayload = 4096

const parse = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) && !isTooDeep(value) ? value : undefined
  } catch {
    // The connection is closed with 4002, which says it all.
    return undefined
  }
}
