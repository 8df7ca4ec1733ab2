import * as Effect from "effect/Effect"
import * as JsonRpc from "../JsonRpc.ts"

/** What keeps the answers to `session/load` behind the replays that they end. */
export interface LoadOrder {
  /** Sees every message before it is sent. */
  readonly sending: (message: JsonRpc.Message) => void
  /** Sees every message that comes, and from which session's stream; false when it must not be given on. */
  readonly received: (message: JsonRpc.Message, sessionId: string | undefined) => boolean
}

/** How it reaches its surroundings. */
export interface Surroundings {
  readonly send: (message: JsonRpc.Message) => Effect.Effect<void, unknown>
  readonly release: (message: JsonRpc.Message) => void
  readonly fork: (effect: Effect.Effect<void>) => void
}

/**
 * Makes the order of one connection whose replays come on the session's stream, but the load's answer on another.
 *
 * When the answer arrives, a request that no agent knows is sent to the session: its refusal takes the way of the
 * replay and so comes after it. Where it does not, a second of silence on the session's stream has to do.
 */
export const make = ({ fork, release, send }: Surroundings): LoadOrder => {
  const loads = new Map<JsonRpc.Id, string>()
  const held = new Map<JsonRpc.Id, Held>()
  let nextId = 1

  const settle = (id: JsonRpc.Id) => {
    const each = held.get(id)
    if (each !== undefined && held.delete(id)) release(each.answer)
  }

  const hold = (answer: JsonRpc.Message, sessionId: string) => {
    const id = `load-order-${nextId++}`
    const mine: Held = { answer, sessionId, pieces: 0 }
    held.set(id, mine)
    const silence = Effect.gen(function* () {
      let before = -1
      while (mine.pieces !== before) {
        before = mine.pieces
        yield* Effect.sleep("1 second")
      }
      settle(id)
    })
    fork(
      send(JsonRpc.request(id, "_heddle/ping", { sessionId })).pipe(
        Effect.timeout("5 seconds"),
        Effect.catchAll(() => Effect.logDebug("The end of a replay could not be asked for")),
        Effect.andThen(silence)
      )
    )
  }

  return {
    sending: (message) => {
      if (!JsonRpc.isRequest(message) || message.method !== "session/load") return
      const sessionId = sessionOf(message)
      if (sessionId !== undefined) loads.set(message.id, sessionId)
    },
    received: (message, sessionId) => {
      if (sessionId !== undefined) for (const each of held.values()) if (each.sessionId === sessionId) each.pieces++
      if (!JsonRpc.isResponse(message)) return true
      if (held.has(message.id)) {
        if (sessionId !== undefined) settle(message.id)
        return false
      }
      // Its late refusal: the answer went on without it.
      if (typeof message.id === "string" && message.id.startsWith("load-order-")) return false
      const loaded = loads.get(message.id)
      loads.delete(message.id)
      if (loaded === undefined || sessionId !== undefined) return true
      hold(message, loaded)
      return false
    }
  }
}

/** The session that a call belongs to. */
export const sessionOf = (message: JsonRpc.Message): string | undefined =>
  "method" in message ? named(message.params) : undefined

/** The session that a value names. */
export const named = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null && "sessionId" in value && typeof value.sessionId === "string"
    ? value.sessionId
    : undefined

interface Held {
  readonly answer: JsonRpc.Message
  readonly sessionId: string
  pieces: number
}
