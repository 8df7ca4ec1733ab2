import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { encode, encodeNotification, type Channel } from "../channel/Channel.ts"
import { field, isRecord } from "../../internal/Json.ts"
import * as SessionInfo from "../session/SessionInfo.ts"
import type { Entry } from "./Entry.ts"
import type { Journal } from "./Journal.ts"

/** One client connection of a task and its position in the journal. */
export interface Subscriber {
  readonly channel: Channel
  /** The newest requests of this connection by their id: a repeated request is not executed again. */
  readonly requests: Map<JsonRpc.Id, ReceivedRequest>
  /** The open requests of the service to this connection by their id. */
  readonly sentRequests: Map<number, SentRequest & { readonly permissionId: string }>
  /** Whether it shows the forms of `elicitation/create` itself. */
  showsForms: boolean
  /** Whether it knows options of the session that are on or off. */
  knowsSwitches: boolean
  /** Its requests that the agent is working on. */
  readonly forwarded: Map<JsonRpc.Id, Forwarded>
  nextId: number
  /** `unattached` before it loads the session, `replaying` during its replay, then `live`. */
  mode: "unattached" | "replaying" | "live" | "gone"
  /** The newest journal entry that was sent to it. */
  cursor: number
  /** Counts its loads, so that a newer one ends the replay of an older one. */
  loadCount: number
  /** Messages that wait until the replay has passed their place. */
  heldMessages: Array<{ readonly after: number; readonly frame: Buffer; readonly answers: JsonRpc.Id | undefined }>
  heldBytes: number
}

/** A request that came on a connection. */
export interface ReceivedRequest {
  /** A digest of the whole message. */
  readonly digest: string
  /** Its response was not sent yet. */
  isOpen: boolean
}

/** A request that was sent to one client. */
export interface SentRequest {
  readonly method: "session/request_permission" | "elicitation/create"
  readonly params: object
}

/** A request that the agent is working on. */
export interface Forwarded {
  /** In bytes. */
  readonly size: number
  /** Failed to withdraw it. */
  readonly withdrawn: Deferred.Deferred<never, JsonRpc.RpcError>
}

/** A connection that has not loaded the session yet. */
export const makeSubscriber = (channel: Channel): Subscriber => ({
  channel,
  requests: new Map(),
  sentRequests: new Map(),
  forwarded: new Map(),
  showsForms: false,
  knowsSwitches: false,
  nextId: 1,
  mode: "unattached",
  cursor: 0,
  loadCount: 0,
  heldMessages: [],
  heldBytes: 0
})

/** The client connections of one task. All receive the stored entries in the same order. */
export interface Subscribers {
  readonly all: ReadonlySet<Subscriber>
  /** The sandbox is loaded, and its journal has `lastSeq` entries. */
  readonly continueAt: (lastSeq: number) => void
  readonly join: (subscriber: Subscriber) => void
  readonly leave: (subscriber: Subscriber) => void
  /** Sends an entry to every live connection. */
  readonly broadcast: (entry: Entry) => void
  /** Sends a message to one connection, after everything that was broadcast until now. */
  readonly send: (subscriber: Subscriber, message: JsonRpc.Message) => void
  /** Makes a connection live from now on, without a replay. */
  readonly follow: (subscriber: Subscriber) => void
  /**
   * Replays the journal up to now, then sends `response`, then goes on live, without a gap or a repeat.
   * The effect ends when the connection is live or gone; its memory does not grow with the journal.
   */
  readonly replay: (subscriber: Subscriber, response: JsonRpc.Success) => Effect.Effect<void>
}

/** Makes the subscribers of a task whose journal has `lastSeq` entries. */
export const make = (taskId: TaskId, journal: Journal["Type"], lastSeq: number): Subscribers => {
  const members = new Set<Subscriber>()
  let lastBroadcast = lastSeq

  const catchUp = (subscriber: Subscriber, load: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      const isCurrent = () => subscriber.mode === "replaying" && subscriber.loadCount === load
      while (isCurrent()) {
        release(subscriber)
        if (subscriber.cursor === lastBroadcast) {
          subscriber.mode = "live"
          return
        }
        const upTo = lastBroadcast
        const entries = yield* journal.read(taskId, { after: subscriber.cursor, upTo })
        if (entries.length === 0 && isCurrent()) subscriber.cursor = upTo
        let pushed = 0
        for (const { seq, method, params } of entries) {
          if (!isCurrent()) return
          release(subscriber)
          const frame = encodeNotification(method, subscriber.knowsSwitches ? params : withoutSwitches(params))
          subscriber.channel.push(frame)
          subscriber.cursor = seq
          pushed += frame.length
          if (pushed < drainAfterBytes) continue
          pushed = 0
          yield* subscriber.channel.drained
        }
        yield* subscriber.channel.drained
      }
    })

  return {
    all: members,
    continueAt: (lastSeq) => {
      // A connection that missed entries loads the session again.
      if (lastSeq !== lastBroadcast) for (const { channel, mode } of members) if (mode !== "unattached") channel.close()
      lastBroadcast = lastSeq
    },
    join: (subscriber) => members.add(subscriber),
    leave: (subscriber) => {
      subscriber.mode = "gone"
      subscriber.heldMessages = []
      members.delete(subscriber)
    },
    broadcast: ({ seq, method, params }) => {
      lastBroadcast = seq
      let frame: Buffer | undefined
      const limited = withoutSwitches(params)
      for (const subscriber of members) {
        if (subscriber.mode !== "live") continue
        subscriber.cursor = seq
        if (limited !== params && !subscriber.knowsSwitches) {
          subscriber.channel.push(encodeNotification(method, limited))
          continue
        }
        frame ??= encodeNotification(method, params)
        subscriber.channel.push(frame)
      }
    },
    send: (subscriber, message) => {
      if (subscriber.mode === "gone") return
      const frame = encode(message)
      const answers = JsonRpc.isResponse(message) ? message.id : undefined
      if (answers !== undefined) settle(subscriber, answers)
      if (subscriber.mode !== "replaying") return subscriber.channel.push(frame, answers)
      // The client sends more requests than it reads responses.
      if (subscriber.heldBytes > maxHeldBytes) return subscriber.channel.close()
      hold(subscriber, lastBroadcast, frame, answers)
    },
    follow: (subscriber) => {
      if (subscriber.mode !== "unattached") return
      subscriber.mode = "live"
      subscriber.cursor = lastBroadcast
    },
    replay: (subscriber, response) =>
      Effect.suspend(() => {
        if (subscriber.mode === "gone") return Effect.void
        subscriber.mode = "replaying"
        subscriber.cursor = 0
        subscriber.loadCount += 1
        settle(subscriber, response.id)
        hold(subscriber, lastBroadcast, encode(response), response.id)
        return catchUp(subscriber, subscriber.loadCount)
      })
  }
}

const settle = ({ requests }: Subscriber, id: JsonRpc.Id) => {
  const request = requests.get(id)
  if (request !== undefined) request.isOpen = false
}

/** Sends the held messages whose entries were sent. */
const release = (subscriber: Subscriber) => {
  while (subscriber.heldMessages[0] !== undefined && subscriber.heldMessages[0].after <= subscriber.cursor) {
    const { frame, answers } = subscriber.heldMessages[0]
    subscriber.heldMessages.shift()
    subscriber.heldBytes -= frame.length
    subscriber.channel.push(frame, answers)
  }
}

const hold = (subscriber: Subscriber, after: number, frame: Buffer, answers: JsonRpc.Id | undefined) => {
  subscriber.heldMessages.push({ after, frame, answers })
  subscriber.heldBytes += frame.length
}

/** The params without the options that are on or off, which a client gets only where it knows them. */
const withoutSwitches = <Params extends string | Buffer>(params: Params): Params | string => {
  if (!params.includes(`"sessionUpdate":"${SessionInfo.configUpdate}"`)) return params
  const parsed: unknown = JSON.parse(params.toString())
  const update = field(parsed, "update")
  if (!isRecord(parsed) || !isRecord(update) || update["sessionUpdate"] !== SessionInfo.configUpdate) return params
  return JSON.stringify({ ...parsed, update: SessionInfo.withoutSwitches(update) })
}

/** Maximum bytes of messages that wait for the end of a replay. */
const maxHeldBytes = 8 * 1024 * 1024

/** Bytes of a replay that are written before the channel is drained. */
const drainAfterBytes = 64 * 1024
