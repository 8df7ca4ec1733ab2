import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { encode, encodeNotification, type Channel } from "../channel/Channel.ts"
import type { Asked } from "./InputRequest.ts"
import type { Entry, Journal } from "./Journal.ts"

/** One client connection of a task and how far it has been told. */
export interface Member {
  readonly channel: Channel
  /** Ids of the requests that came on this connection, the newest ones: a repeated request is not executed again. */
  readonly requests: Set<JsonRpc.Id>
  /** Each open request of ours to this connection, and what it is about. */
  readonly asked: Map<number, Asked & { readonly permissionId: string }>
  /** Whether it shows the forms of `elicitation/create` itself. */
  forms: boolean
  /** Its requests that the agent is working on, each with the way to withdraw it. */
  readonly forwarded: Map<JsonRpc.Id, Forwarded>
  nextId: number
  /** `outside` before it loaded the session, `following` while its replay runs, then `live`. */
  mode: "outside" | "following" | "live" | "gone"
  /** The newest journal entry that it was given. */
  cursor: number
  /** Counts its loads, so that a newer one ends the replay of an older one. */
  loads: number
  /** Messages that wait until the replay has passed their place. */
  held: Array<{ readonly after: number; readonly frame: Buffer; readonly answers: JsonRpc.Id | undefined }>
  heldBytes: number
}

/** A request that the agent is working on. */
export interface Forwarded {
  /** In bytes. */
  readonly size: number
  /** Failed to withdraw it. */
  readonly withdrawn: Deferred.Deferred<never, JsonRpc.RpcError>
}

/** A connection that has not loaded the session yet. */
export const member = (channel: Channel): Member => ({
  channel,
  requests: new Set(),
  asked: new Map(),
  forwarded: new Map(),
  forms: false,
  nextId: 1,
  mode: "outside",
  cursor: 0,
  loads: 0,
  held: [],
  heldBytes: 0
})

/** The connections of one task. Everything here is told after it is durable, in one order for all. */
export interface Audience {
  readonly members: ReadonlySet<Member>
  readonly join: (member: Member) => void
  readonly leave: (member: Member) => void
  /** Tells every connection that has loaded the session. */
  readonly broadcast: (entry: Entry) => void
  /** Tells one connection, after everything that was broadcast until now. */
  readonly send: (member: Member, message: JsonRpc.Message) => void
  /** Makes a connection live from now on, without a replay. */
  readonly follow: (member: Member) => void
  /**
   * Replays the journal up to now, then sends `response`, then goes on live, without a gap or a repeat.
   * The effect ends when the connection is live or gone; its memory does not grow with the journal.
   */
  readonly replay: (member: Member, response: JsonRpc.Success) => Effect.Effect<void>
}

/** Makes the audience of a task whose journal has `lastSeq` entries. */
export const make = (taskId: TaskId, journal: Journal["Type"], lastSeq: number): Audience => {
  const members = new Set<Member>()
  let told = lastSeq

  const catchUp = (member: Member, load: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      const current = () => member.mode === "following" && member.loads === load
      while (current()) {
        release(member)
        if (member.cursor === told) {
          member.mode = "live"
          return
        }
        const upTo = told
        const entries = yield* journal.read(taskId, { after: member.cursor, upTo, limit: replayPage })
        if (entries.length === 0 && current()) member.cursor = upTo
        let pushed = 0
        for (const { seq, method, params } of entries) {
          if (!current()) return
          release(member)
          const frame = encodeNotification(method, params)
          member.channel.push(frame)
          member.cursor = seq
          pushed += frame.length
          if (pushed < replayStep) continue
          pushed = 0
          yield* member.channel.drained
        }
        yield* member.channel.drained
      }
    })

  return {
    members,
    join: (member) => members.add(member),
    leave: (member) => {
      member.mode = "gone"
      member.held = []
      members.delete(member)
    },
    broadcast: ({ seq, method, params }) => {
      told = seq
      let frame: Buffer | undefined
      for (const member of members) {
        if (member.mode !== "live") continue
        frame ??= encodeNotification(method, params)
        member.cursor = seq
        member.channel.push(frame)
      }
    },
    send: (member, message) => {
      if (member.mode === "gone") return
      const frame = encode(message)
      const answers = JsonRpc.isResponse(message) ? message.id : undefined
      if (member.mode !== "following") return member.channel.push(frame, answers)
      // It asks for more than it reads.
      if (member.heldBytes > mostHeld) return member.channel.close()
      hold(member, told, frame, answers)
    },
    follow: (member) => {
      if (member.mode !== "outside") return
      member.mode = "live"
      member.cursor = told
    },
    replay: (member, response) =>
      Effect.suspend(() => {
        if (member.mode === "gone") return Effect.void
        member.mode = "following"
        member.cursor = 0
        member.loads += 1
        hold(member, told, encode(response), response.id)
        return catchUp(member, member.loads)
      })
  }
}

/** Sends what waited for the entries that the member has been given by now. */
const release = (member: Member) => {
  while (member.held[0] !== undefined && member.held[0].after <= member.cursor) {
    const { frame, answers } = member.held[0]
    member.held.shift()
    member.heldBytes -= frame.length
    member.channel.push(frame, answers)
  }
}

const hold = (member: Member, after: number, frame: Buffer, answers: JsonRpc.Id | undefined) => {
  member.held.push({ after, frame, answers })
  member.heldBytes += frame.length
}

/** How many bytes of answers may wait for the end of a replay. */
const mostHeld = 8 * 1024 * 1024

const replayPage = { entries: 200, bytes: 1024 * 1024 }

/** How many bytes of a replay may be handed over before the reader is looked at. */
const replayStep = 64 * 1024
