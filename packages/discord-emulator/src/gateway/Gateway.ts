import { randomBytes } from "node:crypto"
import { type IncomingMessage, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer } from "ws"
import type { Parts } from "../context/Context.ts"
import { resetToken } from "../state/Seed.ts"
import { foreignHost, foreignPage } from "../http/RequestGuard.ts"
import { CloseCode, closeReason, Op } from "./Codes.ts"
import { serveConnection, type Sessions } from "./Connection.ts"
import type { Dispatch } from "./Dispatch.ts"
import {
  dispatchesOf,
  guildCreate,
  guildOutage,
  interactionDispatch,
  presenceDispatch,
  typingDispatch
} from "./Dispatches.ts"
import { makeAccess } from "./GuildDispatch.ts"
import { readIdentify, tokenOf } from "./Identify.ts"
import { offlinePresence, type Presence } from "./Presence.ts"
import { readyOf } from "./Ready.ts"
import { Session } from "./Session.ts"
import type { SessionStore } from "./SessionStore.ts"
import { plainWire, type Wire, zlibStreamWire } from "./Wire.ts"

/** The gateway: identified clients hear everything that happens, in order, exactly once. */
export interface Gateway {
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Cuts every connection, or closes it with a `code`; with `resume: false` the sessions are gone too. */
  readonly drop: (options?: { readonly resume?: boolean; readonly code?: number }) => void
  /** Lets every connection fall silent without closing it: nothing comes any more, not even for a heartbeat. */
  readonly silence: () => void
  /** Asks every client to reconnect and resume (op 7). */
  readonly reconnect: () => void
  /** Tells every client that its session is over (op 9), or that it should resume it. */
  readonly invalidate: (options?: { readonly resume?: boolean }) => void
  /** Asks every client for a heartbeat (op 1). */
  readonly beat: () => void
  /** Makes the guild unavailable until the returned function is called. */
  readonly outage: () => () => void
  /** How the bot shows itself; offline while it is not connected. */
  readonly presence: () => Presence
  readonly close: () => Promise<void>
}

/** How long a session without a connection can be resumed. */
const resumableMs = 180_000

export const makeGateway = (parts: Parts, sessionStore: SessionStore): Gateway => {
  const { faults, journal, settings, signals, starts, world } = parts
  const server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 })
  const wires = new Set<Wire>()
  const late = new Set<NodeJS.Timeout>()
  const sessions = new Map<string, Session>()
  let outages = 0

  const offer = (dispatches: ReadonlyArray<Dispatch>, position?: number): void => {
    for (const session of sessions.values()) session.offer(dispatches, world.realm.guildId, position)
  }
  /** Lets a dispatch through as often and as late as the faults that are set say. */
  const afflicted = <D extends { readonly event: string }>(
    dispatch: D,
    offerLate: (copies: ReadonlyArray<D>) => void
  ): ReadonlyArray<D> => {
    const fault = faults.event(dispatch.event)
    if (fault === undefined) return [dispatch]
    const copies = fault.drop === true ? [] : fault.duplicate === true ? [dispatch, dispatch] : [dispatch]
    if (fault.delayMs === undefined) return copies
    const timer = setTimeout(() => {
      late.delete(timer)
      offerLate(copies)
    }, fault.delayMs)
    late.add(timer)
    return []
  }
  const publish = (dispatches: ReadonlyArray<Dispatch>, position?: number): void => {
    if (dispatches.length > 0)
      offer(
        dispatches.flatMap((dispatch) => afflicted(dispatch, offer)),
        position
      )
  }

  for (const { record, ...restored } of sessionStore.restored) {
    const session = new Session(record, sessionStore.open(record), restored)
    session.lostAt = Date.now()
    sessions.set(session.id, session)
    // The process may have ended between a change and what it makes clients hear.
    if (world.newest !== undefined && session.position < journal.position())
      session.offer(dispatchesOf(parts, world.newest), world.realm.guildId, journal.position())
  }
  const access = makeAccess(parts)
  const stopWorld = world.listen((committed) => {
    const gained = access(committed)
    if (sessions.size > 0) publish([...dispatchesOf(parts, committed), ...gained], journal.position())
  })
  const stopSignals = signals.listen((signal) => {
    if (signal.type === "typing") publish(typingDispatch(parts, signal.channelId, signal.userId))
    if (signal.type === "interaction_create") publish([interactionDispatch(signal.payload)])
  })

  const end = (session: Session): void => {
    sessions.delete(session.id)
    session.end()
  }
  const endAll = (): void => {
    const shown = [...sessions.values()].some(({ wire }) => wire !== undefined)
    for (const session of sessions.values()) end(session)
    if (shown) showPresence()
  }
  const forgetting = setInterval(() => {
    for (const session of sessions.values())
      if (session.wire === undefined && Date.now() - session.lostAt > resumableMs) end(session)
  }, 15_000)
  forgetting.unref()

  const presence = (): Presence => {
    const shown = [...sessions.values()].filter(({ wire }) => wire !== undefined)
    return shown.at(-1)?.presence ?? offlinePresence
  }
  const showPresence = (): void => {
    const { activities, status } = presence()
    signals.emit({ type: "presence", userId: world.realm.botId, status, activities })
    publish([presenceDispatch(parts, presence())])
  }

  const identify: Sessions["identify"] = (wire, data) => {
    const identity = readIdentify(data, { botToken: world.realm.botToken, settings })
    const refused = (code: number): undefined => void wire.close(code, closeReason[code] ?? "")
    if ("refused" in identity) return refused(identity.refused)
    const start = starts.take(identity.shard[0])
    if (start === "too soon") return void wire.send(invalidSession(false))
    if (start === "used up") {
      endAll()
      for (const other of wires) other.close(CloseCode.notAuthenticated, "This session was invalidated.")
      resetToken(world)
      settings.log("discord-emulator: the bot connected too often within a day; its token is reset, as Discord does")
      return undefined
    }
    const record = { ...identity, id: randomBytes(16).toString("hex") }
    const session = new Session(record, sessionStore.open(record))
    session.wire = wire
    wire.compress = record.compress
    const { guildId } = world.realm
    session.send("READY", readyOf(parts, record, data["shard"] !== undefined, session.handles(guildId)))
    if (outages === 0) session.offer([guildCreate(parts, record)], guildId)
    sessions.set(session.id, session)
    showPresence()
    return session
  }

  const resume: Sessions["resume"] = (wire, data) => {
    const session = sessions.get(String(data["session_id"]))
    const sequence = Number(data["seq"])
    if (tokenOf(data) !== world.realm.botToken) wire.close(CloseCode.badToken, closeReason[CloseCode.badToken] ?? "")
    else if (session !== undefined && !(sequence <= session.sequence))
      wire.close(CloseCode.badSequence, closeReason[CloseCode.badSequence] ?? "")
    else if (session === undefined || !session.canReplay(sequence)) wire.send(invalidSession(false))
    else {
      // The old connection may still look alive to us when the client has long given it up.
      session.wire?.terminate()
      session.wire = wire
      wire.compress = session.record.compress
      session.replay(sequence)
      showPresence()
      return session
    }
    return undefined
  }

  const answer: Sessions["answer"] = (session, event, data) => {
    const send = (copies: ReadonlyArray<{ readonly event: string }>): void => {
      for (const each of copies) session.send(each.event, data)
    }
    send(afflicted({ event }, send))
  }

  const lost: Sessions["lost"] = (session, goodbye) => {
    session.wire = undefined
    session.lostAt = Date.now()
    if (goodbye) end(session)
    showPresence()
  }

  const connected: Sessions = { identify, resume, answer, lost, showPresence }

  return {
    upgrade: (request, socket, head) => {
      // From here on the HTTP server no longer listens to this socket, and an error nobody hears ends the process.
      socket.on("error", () => socket.destroy())
      const { url = "/" } = request
      if (!URL.canParse(url, "http://gateway")) return refuseUpgrade(socket, 400, "The address cannot be read.")
      const foreign = foreignHost(request, settings.host) ?? foreignPage(request)
      if (foreign !== undefined) return refuseUpgrade(socket, 403, foreign)
      const query = new URL(url, "http://gateway").searchParams
      const accept = (): void =>
        server.handleUpgrade(request, socket, head, (client) => {
          client.on("error", (cause) => settings.log(`discord-emulator: gateway connection: ${cause.message}`))
          const reason = unserved(query)
          if (reason !== undefined) {
            settings.log(`discord-emulator: a client was refused: ${reason}`)
            return client.close(CloseCode.badVersion, reason)
          }
          const wire = query.get("compress") === "zlib-stream" ? zlibStreamWire(client) : plainWire(client, socket)
          wires.add(wire)
          client.on("close", () => wires.delete(wire))
          serveConnection(parts, connected, client, wire)
        })
      const fault = faults.connect()
      if (fault === undefined) return accept()
      const fail = (): void => {
        if (fault.dropSocket === true) socket.destroy()
        else if (fault.status === undefined) accept()
        else refuseUpgrade(socket, fault.status, "A fault on demand.")
      }
      setTimeout(fail, fault.delayMs ?? 0).unref()
    },
    drop: (options) => {
      if (options?.resume === false) endAll()
      const code = options?.code
      for (const wire of wires) {
        if (code === undefined) wire.terminate()
        else wire.close(code, closeReason[code] ?? "")
      }
    },
    silence: () => {
      for (const wire of wires) wire.silence()
    },
    reconnect: () => {
      for (const wire of wires) wire.send(JSON.stringify({ op: Op.reconnect, d: null }))
    },
    invalidate: ({ resume: resumable = false } = {}) => {
      if (!resumable) endAll()
      for (const wire of wires) wire.send(invalidSession(resumable))
    },
    beat: () => {
      for (const wire of wires) wire.send(JSON.stringify({ op: Op.heartbeat, d: null }))
    },
    outage: () => {
      outages++
      if (outages === 1) publish([guildOutage(parts)])
      let over = false
      return () => {
        if (over) return
        over = true
        outages--
        if (outages > 0) return
        for (const session of sessions.values())
          session.offer([guildCreate(parts, session.record)], world.realm.guildId)
      }
    },
    presence,
    close: async () => {
      stopWorld()
      stopSignals()
      clearInterval(forgetting)
      for (const timer of late) clearTimeout(timer)
      for (const client of server.clients) client.terminate()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions.values()) session.close()
      sessions.clear()
    }
  }
}

const invalidSession = (resumable: boolean): string => JSON.stringify({ op: Op.invalid, d: resumable })

/** Why the address of a connection asks for something that is not served, if it does. */
const unserved = (query: URLSearchParams): string | undefined => {
  const version = query.get("v") ?? "10"
  if (version !== "9" && version !== "10") return `Only versions 9 and 10 are served, not ${version.slice(0, 20)}.`
  const encoding = query.get("encoding") ?? "json"
  if (encoding !== "json") return `Only the encoding json is served, not ${encoding.slice(0, 20)}.`
  const compress = query.get("compress") ?? "zlib-stream"
  if (compress !== "zlib-stream") return `Only the compression zlib-stream is served, not ${compress.slice(0, 20)}.`
  return undefined
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
