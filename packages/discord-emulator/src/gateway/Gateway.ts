import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer } from "ws"
import type { Context } from "../context/Context.ts"
import { invalidSession } from "./Authentication.ts"
import { closeReason, Op } from "./Codes.ts"
import { serveConnection } from "./Connection.ts"
import { dispatchesOf, interactionDispatch, typingDispatch } from "./Dispatches.ts"
import { GuildOutage } from "./GuildOutage.ts"
import type { Presence } from "./Presence.ts"
import { Sessions } from "./Sessions.ts"
import type { SessionStore } from "./SessionStore.ts"
import { makeThreadListSync } from "./ThreadListSync.ts"
import type { Transport } from "./Transport.ts"
import { upgradeConnection } from "./Upgrade.ts"

/** The gateway: identified clients receive every event in order, exactly once. */
export interface Gateway {
  readonly handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Terminates every connection, or closes it with `code`; `resume: false` also ends the sessions. */
  readonly disconnectAll: (options?: { readonly resume?: boolean; readonly code?: number }) => void
  /** Stops sending on every connection without closing it. */
  readonly silence: () => void
  /** Asks every client to reconnect and resume (op 7). */
  readonly reconnect: () => void
  /** Sends every client Invalid Session (op 9). */
  readonly invalidate: (options?: { readonly resume?: boolean }) => void
  /** Asks every client for a heartbeat (op 1). */
  readonly requestHeartbeat: () => void
  /** Makes the guild unavailable until the returned function is called. */
  readonly startOutage: () => () => void
  /** The presence of the bot; offline while it is not connected. */
  readonly presence: () => Presence
  readonly close: () => Promise<void>
}

const maxFrameBytes = 64 * 1024

export const makeGateway = (context: Context, sessionStore: SessionStore): Gateway => {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes })
  const transports = new Set<Transport>()
  const sessions = new Sessions(context, sessionStore)
  const outage = new GuildOutage(context, sessions)
  const stopEvents = publishEvents(context, sessions)
  const broadcast = (frame: string): void => {
    for (const transport of transports) transport.send(frame)
  }
  return {
    handleUpgrade: (request, socket, head) =>
      upgradeConnection(context, server, request, socket, head, (client, transport) => {
        transports.add(transport)
        client.on("close", () => transports.delete(transport))
        serveConnection({ context, sessions, outage, transports }, client, transport)
      }),
    disconnectAll: ({ code, resume = true } = {}) => {
      if (!resume) sessions.endAll()
      for (const transport of transports) {
        if (code === undefined) transport.terminate()
        else transport.close(code, closeReason[code] ?? "")
      }
    },
    silence: () => {
      for (const transport of transports) transport.silence()
    },
    reconnect: () => broadcast(JSON.stringify({ op: Op.reconnect, d: null })),
    invalidate: ({ resume = false } = {}) => {
      if (!resume) sessions.endAll()
      broadcast(invalidSession(resume))
    },
    requestHeartbeat: () => broadcast(JSON.stringify({ op: Op.heartbeat, d: null })),
    startOutage: () => outage.start(),
    presence: () => sessions.presence(),
    close: async () => {
      stopEvents()
      sessions.stopTimers()
      for (const client of server.clients) client.terminate()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      sessions.close()
    }
  }
}

/** Publishes commits and transient events until the returned function is called. */
const publishEvents = (context: Context, sessions: Sessions): (() => void) => {
  const { journal, store, transientEvents } = context
  const threadListSync = makeThreadListSync(context)
  const stopStore = store.listen((committed) => {
    const threadLists = threadListSync(committed)
    if (sessions.isEmpty) return
    sessions.publish([...dispatchesOf(context, committed), ...threadLists], journal.position())
  })
  const stopTransientEvents = transientEvents.listen((event) => {
    if (event.type === "typing") sessions.publish(typingDispatch(context, event.channelId, event.userId))
    if (event.type === "interaction_create") sessions.publish([interactionDispatch(event.payload)])
  })
  return () => {
    stopStore()
    stopTransientEvents()
  }
}
