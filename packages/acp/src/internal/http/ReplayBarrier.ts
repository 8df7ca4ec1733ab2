import * as Effect from "effect/Effect"
import * as JsonRpc from "../../JsonRpc.ts"

/** Keeps the response to `session/load` behind the replay that it ends. */
export interface ReplayBarrier {
  /** Sees every message before it is sent. */
  readonly sending: (message: JsonRpc.Message) => void
  /** Sees every message that comes, and from which session's stream; false when it must not be handed on. */
  readonly received: (message: JsonRpc.Message, sessionId: string | undefined) => boolean
}

/** What the barrier needs of its connection. */
export interface Options {
  readonly send: (message: JsonRpc.Message) => Effect.Effect<void, unknown>
  readonly release: (message: JsonRpc.Message) => void
  readonly fork: (effect: Effect.Effect<void>) => void
}

/**
 * Makes the barrier of a connection whose replays come on the session's stream, but the load's response on another.
 *
 * When the response arrives, the session is sent a request that no agent knows. The refusal takes the way of the replay,
 * so it comes after it. Where it does not come, a second of silence on the session's stream has to do.
 */
export const make = ({ fork, release, send }: Options): ReplayBarrier => {
  const loads = new Map<JsonRpc.Id, string>()
  const held = new Map<JsonRpc.Id, HeldResponse>()
  let lastId = 0

  const releaseHeld = (id: JsonRpc.Id) => {
    const each = held.get(id)
    if (each !== undefined && held.delete(id)) release(each.response)
  }

  const hold = (response: JsonRpc.Message, sessionId: string) => {
    const id = `${idPrefix}${++lastId}`
    const mine: HeldResponse = { response, sessionId, messages: 0 }
    held.set(id, mine)
    const silence = Effect.gen(function* () {
      let before = -1
      while (mine.messages !== before) {
        before = mine.messages
        yield* Effect.sleep("1 second")
      }
      releaseHeld(id)
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
      if (sessionId !== undefined) for (const each of held.values()) if (each.sessionId === sessionId) each.messages++
      if (!JsonRpc.isResponse(message)) return true
      if (held.has(message.id)) {
        if (sessionId !== undefined) releaseHeld(message.id)
        return false
      }
      // The refusal came late: the response was released without it.
      if (typeof message.id === "string" && message.id.startsWith(idPrefix)) return false
      const loaded = loads.get(message.id)
      loads.delete(message.id)
      if (loaded === undefined || sessionId !== undefined) return true
      hold(message, loaded)
      return false
    }
  }
}

/** The session of a call. */
export const sessionOf = (message: JsonRpc.Message): string | undefined =>
  "method" in message ? sessionIdOf(message.params) : undefined

/** The `sessionId` of a value. */
export const sessionIdOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null && "sessionId" in value && typeof value.sessionId === "string"
    ? value.sessionId
    : undefined

const idPrefix = "load-order-"

interface HeldResponse {
  readonly response: JsonRpc.Message
  readonly sessionId: string
  /** How many messages of the session came since. */
  messages: number
}
