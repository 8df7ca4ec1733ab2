import { randomBytes } from "node:crypto"
import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Parts } from "../Parts.ts"
import { isTooDeep } from "../rest/validate/Depth.ts"
import { type Fields, isFields } from "../rest/validate/Form.ts"
import { foreignHost, foreignOrigin } from "../web/Guard.ts"
import { type Dispatch, dispatchesOf, guildCreate, typingDispatch } from "./Dispatch.ts"
import { makeAccess } from "./GuildDispatch.ts"
import { Session } from "./Session.ts"

/** The gateway: identified clients hear everything that happens, in order, exactly once. */
export interface Gateway {
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Cuts every connection; with `resume: false` the sessions are gone too. */
  readonly drop: (options?: { readonly resume?: boolean }) => void
  /** Asks every client to reconnect and resume (op 7). */
  readonly reconnect: () => void
  readonly close: () => Promise<void>
}

const Op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voice: 4,
  resume: 6,
  reconnect: 7,
  members: 8,
  invalid: 9,
  hello: 10,
  ack: 11
} as const
const CloseCode = {
  unknown: 4000,
  unknownOp: 4001,
  decode: 4002,
  notAuthenticated: 4003,
  badToken: 4004,
  alreadyAuthenticated: 4005,
  badSequence: 4007,
  timedOut: 4009,
  badShard: 4010,
  badVersion: 4012,
  badIntents: 4013,
  refusedIntents: 4014
} as const

/** How long a session without a socket can be resumed. */
const resumableMs = 180_000

export const makeGateway = (parts: Parts): Gateway => {
  const { settings, signals, world } = parts
  const server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 })
  const sessions = new Map<string, Session>()

  const publish = (dispatch: Dispatch): void => {
    for (const session of sessions.values()) session.offer(dispatch, world.realm.guildId)
  }
  const access = makeAccess(parts)
  const stopWorld = world.listen((committed) => {
    const gained = access(committed)
    if (sessions.size > 0) for (const dispatch of [...dispatchesOf(parts, committed), ...gained]) publish(dispatch)
  })
  const stopSignals = signals.listen((signal) => {
    const typing = signal.type === "typing" ? typingDispatch(parts, signal.channelId, signal.userId) : undefined
    if (typing !== undefined) publish(typing)
    if (signal.type === "interaction_create")
      publish({ event: "INTERACTION_CREATE", data: signal.payload, intents: 0, direct: false })
  })

  const forgetLost = (): void => {
    for (const [id, session] of sessions)
      if (session.socket === undefined && Date.now() - session.lostAt > resumableMs) sessions.delete(id)
  }

  const identify = (socket: WebSocket, data: Fields): Session | undefined => {
    const intents = Number(data["intents"] ?? Number.NaN)
    const [shard, count] = Array.isArray(data["shard"]) ? data["shard"].map(Number) : [0, 1]
    const refused = ((): number | undefined => {
      if (tokenOf(data) !== world.realm.botToken) return CloseCode.badToken
      if (!Number.isInteger(intents) || intents < 0) return CloseCode.badIntents
      if ((intents & settings.refusedIntents) !== 0) return CloseCode.refusedIntents
      if (!Number.isInteger(shard) || !Number.isInteger(count) || Number(shard) < 0 || Number(shard) >= Number(count))
        return CloseCode.badShard
      return undefined
    })()
    if (refused !== undefined) {
      socket.close(refused, closeReason(refused))
      return undefined
    }
    forgetLost()
    const session = new Session(randomBytes(16).toString("hex"), intents, [Number(shard), Number(count)], socket)
    session.send("READY", {
      v: 10,
      user: { ...parts.render.user(world.realm.botId), verified: true, mfa_enabled: true, email: null },
      user_settings: {},
      guilds: [{ id: world.realm.guildId, unavailable: true }],
      session_id: session.id,
      session_type: "normal",
      resume_gateway_url: parts.origin().replace(/^http/, "ws"),
      shard: session.shard,
      application: { id: world.realm.applicationId, flags: 1 << 19 },
      private_channels: [],
      presences: [],
      relationships: [],
      guild_join_requests: [],
      _trace: []
    })
    session.offer(guildCreate(parts), world.realm.guildId)
    sessions.set(session.id, session)
    return session
  }

  const resume = (socket: WebSocket, data: Fields): Session | undefined => {
    const session = sessions.get(String(data["session_id"]))
    const sequence = Number(data["seq"])
    if (tokenOf(data) !== world.realm.botToken) socket.close(CloseCode.badToken, closeReason(CloseCode.badToken))
    else if (session !== undefined && sequence > session.sequence)
      socket.close(CloseCode.badSequence, closeReason(CloseCode.badSequence))
    else if (session === undefined || !session.canReplay(sequence)) send(socket, { op: Op.invalid, d: false })
    else {
      // The old socket may still look alive to us when the client has long given it up.
      session.socket?.terminate()
      session.socket = socket
      session.replay(sequence)
      return session
    }
    return undefined
  }

  const serve = (socket: WebSocket): void => {
    let session: Session | undefined
    let lastBeat = Date.now()
    const zombie = setInterval(() => {
      if (Date.now() - lastBeat > settings.heartbeatMs * 1.5)
        socket.close(CloseCode.timedOut, closeReason(CloseCode.timedOut))
    }, settings.heartbeatMs)
    zombie.unref()

    const handle = (op: unknown, data: unknown): void => {
      const fields = isFields(data) ? data : {}
      switch (op) {
        case Op.heartbeat:
          lastBeat = Date.now()
          return send(socket, { op: Op.ack })
        case Op.identify:
          if (session !== undefined) return socket.close(CloseCode.alreadyAuthenticated, "Already authenticated.")
          session = identify(socket, fields)
          return
        case Op.resume:
          if (session !== undefined) return socket.close(CloseCode.alreadyAuthenticated, "Already authenticated.")
          session = resume(socket, fields)
          return
        case Op.presence:
        case Op.voice:
          if (session === undefined) socket.close(CloseCode.notAuthenticated, "Not authenticated.")
          return
        case Op.members:
          if (session === undefined) socket.close(CloseCode.notAuthenticated, "Not authenticated.")
          else session.send("GUILD_MEMBERS_CHUNK", membersChunk(parts, fields))
          return
        default:
          socket.close(CloseCode.unknownOp, "Unknown opcode.")
      }
    }

    socket.on("message", (bytes) => {
      const frame = parse(String(bytes))
      if (frame === undefined) return socket.close(CloseCode.decode, "Error while decoding payload.")
      try {
        handle(frame["op"], frame["d"])
      } catch (cause) {
        // JSON can hold values that turn into no text and no number; one client must not end it for all.
        settings.log(`discord-emulator: gateway frame: ${messageOf(cause)}`)
        socket.close(CloseCode.unknown, "Unknown error.")
      }
    })
    socket.on("close", (code) => {
      clearInterval(zombie)
      if (session?.socket !== socket) return
      session.socket = undefined
      session.lostAt = Date.now()
      // A client that says goodbye ends its session.
      if (code === 1000 || code === 1001) sessions.delete(session.id)
    })
    send(socket, { op: Op.hello, s: null, t: null, d: { heartbeat_interval: settings.heartbeatMs, _trace: [] } })
  }

  return {
    upgrade: (request, socket, head) => {
      // From here on the HTTP server no longer listens to this socket, and an error nobody hears ends the process.
      socket.on("error", () => socket.destroy())
      const { url = "/" } = request
      if (!URL.canParse(url, "http://gateway")) return refuseUpgrade(socket, 400, "The address cannot be read.")
      const foreign = foreignHost(request, settings.host) ?? foreignOrigin(request)
      if (foreign !== undefined) return refuseUpgrade(socket, 403, foreign)
      const query = new URL(url, "http://gateway").searchParams
      server.handleUpgrade(request, socket, head, (client) => {
        client.on("error", (cause) => settings.log(`discord-emulator: gateway connection: ${cause.message}`))
        const version = query.get("v") ?? "10"
        if (!["9", "10"].includes(version) || (query.get("encoding") ?? "json") !== "json" || query.has("compress"))
          client.close(CloseCode.badVersion, "Only versions 9 and 10 with uncompressed JSON are served.")
        else serve(client)
      })
    },
    drop: (options) => {
      if (options?.resume === false) sessions.clear()
      for (const client of server.clients) client.terminate()
    },
    reconnect: () => {
      for (const client of server.clients) send(client, { op: Op.reconnect, d: null })
    },
    close: async () => {
      stopWorld()
      stopSignals()
      for (const client of server.clients) client.terminate()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  }
}

const refuseUpgrade = (socket: Duplex, status: number, reason: string): void => {
  const body = Buffer.from(`${reason}\n`)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "connection: close",
    "content-type: text/plain; charset=utf-8",
    `content-length: ${body.length}`
  ]
  socket.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]), () => socket.destroy())
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const tokenOf = ({ token }: Fields): string => (typeof token === "string" ? token.replace(/^Bot /, "") : "")

const send = (socket: WebSocket, frame: object): void => socket.send(JSON.stringify(frame))

const parse = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) && !isTooDeep(value) ? value : undefined
  } catch {
    // The connection is closed with 4002, which says it all.
    return undefined
  }
}

const closeReason = (code: number): string =>
  ({
    [CloseCode.badToken]: "Authentication failed.",
    [CloseCode.badSequence]: "Invalid seq.",
    [CloseCode.timedOut]: "Session timed out.",
    [CloseCode.badShard]: "Invalid shard.",
    [CloseCode.badIntents]: "Invalid intent(s).",
    [CloseCode.refusedIntents]: "Disallowed intent(s)."
  })[code] ?? ""

const membersChunk = ({ render, world }: Parts, request: Fields): object => {
  const ids = request["user_ids"]
  const wanted = ids === undefined ? undefined : (Array.isArray(ids) ? ids : [ids]).map(String)
  const query = String(request["query"] ?? "").toLowerCase()
  const found = [...world.users.values()]
    .filter(({ id }) => world.members.has(id))
    .filter((user) => (wanted === undefined ? user.username.toLowerCase().startsWith(query) : wanted.includes(user.id)))
  return {
    guild_id: world.realm.guildId,
    members: found.map((user) => render.member(user.id)),
    chunk_index: 0,
    chunk_count: 1,
    not_found: wanted?.filter((id) => !world.users.has(id)) ?? [],
    ...(typeof request["nonce"] === "string" ? { nonce: request["nonce"] } : {})
  }
}
