import type { WebSocket } from "ws"
import type { Context } from "../context/Context.ts"
import { FixedWindows } from "../limits/FixedWindows.ts"
import { isTooDeep } from "../validate/Depth.ts"
import { parseJson } from "../validate/ParseJson.ts"
import { isJsonObject, type JsonObject } from "../validate/Form.ts"
import { type AuthenticationContext, identify, resume } from "./Authentication.ts"
import { CloseCode, closeReason, Op } from "./Codes.ts"
import { readMembersRequest, replyWithMembers } from "./Members.ts"
import { readPresence } from "./Presence.ts"
import type { Session } from "./Session.ts"
import type { Transport } from "./Transport.ts"

/** The largest frame that a client may send. */
const maxPayloadBytes = 4096

/** Serves one connection: its heartbeats, the frames of its client, and their limits. */
export const serveConnection = (
  authentication: AuthenticationContext,
  socket: WebSocket,
  transport: Transport
): void => {
  const connection = new Connection(authentication, transport)
  const { heartbeatMs } = authentication.context.settings
  const heartbeatCheck = setInterval(() => connection.checkHeartbeat(), heartbeatMs)
  heartbeatCheck.unref()
  socket.on("message", (bytes) => connection.receive(String(bytes)))
  socket.on("close", (code) => {
    clearInterval(heartbeatCheck)
    connection.closed(code)
  })
  transport.send(JSON.stringify({ op: Op.hello, s: null, t: null, d: { heartbeat_interval: heartbeatMs } }))
}

class Connection {
  readonly #authentication: AuthenticationContext
  readonly #context: Context
  readonly #transport: Transport
  readonly #windows: FixedWindows
  #session: Session | undefined
  #lastHeartbeat = performance.now()

  constructor(authentication: AuthenticationContext, transport: Transport) {
    this.#authentication = authentication
    this.#context = authentication.context
    this.#transport = transport
    this.#windows = new FixedWindows(authentication.context.settings.clock.now)
  }

  /** Closes the connection of a client that sends no heartbeats. */
  checkHeartbeat(): void {
    const { heartbeatMs } = this.#context.settings
    if (performance.now() - this.#lastHeartbeat > heartbeatMs * 1.5) this.#close(CloseCode.sessionTimedOut)
  }

  receive(text: string): void {
    if (this.#transport.isSilent()) return
    const { limits, log } = this.#context.settings
    const { gatewayEvents } = limits
    if (gatewayEvents !== undefined && this.#windows.count("events", gatewayEvents).used > gatewayEvents.limit)
      return this.#close(CloseCode.rateLimited)
    if (Buffer.byteLength(text) > maxPayloadBytes) return this.#close(CloseCode.decodeError)
    const frame = parseFrame(text)
    if (frame === undefined) return this.#close(CloseCode.decodeError)
    try {
      this.#handle(frame["op"], frame["d"])
    } catch (cause) {
      // An unexpected value in one client's frame must not end the process.
      log(`discord-emulator: gateway frame: ${cause instanceof Error ? cause.message : String(cause)}`)
      this.#close(CloseCode.unknownError)
    }
  }

  closed(code: number): void {
    const session = this.#activeSession()
    if (session?.transport !== this.#transport) return
    this.#authentication.sessions.disconnect(session, code === 1000 || code === 1001)
  }

  /** The session of this connection, unless it ended. */
  #activeSession(): Session | undefined {
    return this.#session?.ended === true ? undefined : this.#session
  }

  #close(code: number): void {
    this.#transport.close(code, closeReason[code] ?? "")
  }

  #handle(op: unknown, data: unknown): void {
    if (op === Op.heartbeat) {
      this.#lastHeartbeat = performance.now()
      return this.#transport.send(JSON.stringify({ op: Op.heartbeatAck }))
    }
    const session = this.#activeSession()
    if (op === Op.identify || op === Op.resume) {
      if (session !== undefined) return this.#close(CloseCode.alreadyAuthenticated)
      if (op === Op.resume && this.#context.faults.resume() !== undefined) return
      const authenticate = op === Op.identify ? identify : resume
      this.#session = authenticate(this.#authentication, this.#transport, isJsonObject(data) ? data : {})
      return
    }
    if (!sessionOps.includes(op)) return this.#close(CloseCode.unknownOpcode)
    if (session === undefined) return this.#close(CloseCode.notAuthenticated)
    this.#handleInSession(session, op, data)
  }

  #handleInSession(session: Session, op: unknown, data: unknown): void {
    const { guildId } = this.#context.store.guild
    switch (op) {
      case Op.presenceUpdate: {
        const presence = readPresence(data)
        if (presence === undefined) return this.#close(CloseCode.unknownOpcode)
        session.presence = presence
        return this.#authentication.sessions.publishPresence()
      }
      case Op.requestGuildMembers: {
        const request = readMembersRequest(data)
        if (request === undefined) return this.#close(CloseCode.unknownOpcode)
        return replyWithMembers(this.#authentication, this.#windows, session, request)
      }
      case Op.requestSoundboardSounds: {
        const ids = isJsonObject(data) && Array.isArray(data["guild_ids"]) ? data["guild_ids"] : []
        if (ids.includes(guildId)) session.send("SOUNDBOARD_SOUNDS", { guild_id: guildId, soundboard_sounds: [] })
        return
      }
      case Op.requestChannelInfo:
        return session.send("CHANNEL_INFO", { guild_id: guildId, channels: [] })
    }
    // The guild has no voice channels: Discord leaves such a voice state update unanswered.
  }
}

/** Operations that need a session. */
const sessionOps: ReadonlyArray<unknown> = [
  Op.presenceUpdate,
  Op.voiceStateUpdate,
  Op.requestGuildMembers,
  Op.requestSoundboardSounds,
  Op.requestChannelInfo
]

const parseFrame = (text: string): JsonObject | undefined => {
  try {
    const value = parseJson(text)
    return isJsonObject(value) && !isTooDeep(value) ? value : undefined
  } catch {
    // The caller closes the connection with 4002.
    return undefined
  }
}
