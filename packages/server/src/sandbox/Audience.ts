import type * as JsonRpc from "@heddle/acp/JsonRpc"
import type { Form } from "@heddle/acp/Permission"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import { encode, encodeNotification, type Channel } from "./Channel.ts"
import type { Entry, Journal } from "./Journal.ts"

/** One client connection of a task and how far it has been told. */
export interface Member {
  readonly channel: Channel
  /** Ids of the requests that came on this connection, the newest ones: a repeated request is not executed again. */
  readonly requests: Set<JsonRpc.Id>
  /** The permission request that each open request of ours to this connection is about. */
  readonly asked: Map<number, string>
  nextId: number
  /** What it can put before a person. */
  forms: ReadonlySet<Form>
  /** `outside` before it loaded the session, `following` while its replay runs, then `live`. */
  mode: "outside" | "following" | "live" | "gone"
  /** The newest journal entry that it was given. */
  cursor: number
  /** Counts its loads, so that a newer one ends the replay of an older one. */
  loads: number
  /** Messages that wait until the replay has passed their place. */
  held: Array<{ readonly after: number; readonly frame: Buffer }>
}

/** A connection that has not loaded the session yet. */
export const member = (channel: Channel): Member => ({
  channel,
  requests: new Set(),
  asked: new Map(),
  nextId: 1,
  forms: new Set(["permission"]),
  mode: "outside",
  cursor: 0,
  loads: 0,
  held: []
})

/** The connections of one task. Everything here is told after it is durable, in one order for all. */
export interface Audience {
  readonly members: ReadonlySet<Member>
  readonly join: (member: Member) => void
  readonly leave: (member: Member) => void
  /** Tells every connection that has loaded the session. */
  readonly broadcast: (entry: Entry) => void
  /** Tells one connection, after everything that was broadcast until now. */
  readonly send: (member: Member, message: object) => void
  /** Makes a connection live from now on, without a replay. */
  readonly follow: (member: Member) => void
  /**
   * Replays the journal up to now, then sends `response`, then goes on live, without a gap or a repeat.
   * The effect ends when the connection is live or gone; its memory does not grow with the journal.
   */
  readonly replay: (member: Member, response: object) => Effect.Effect<void>
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
        for (const { seq, method, params } of entries) {
          if (!current()) return
          release(member)
          member.channel.push(encodeNotification(method, params))
          member.cursor = seq
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
      if (member.mode === "following") member.held.push({ after: told, frame })
      else member.channel.push(frame)
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
        member.held.push({ after: told, frame: encode(response) })
        return catchUp(member, member.loads)
      })
  }
}

/** Sends what waited for the entries that the member has been given by now. */
const release = (member: Member) => {
  while (member.held[0] !== undefined && member.held[0].after <= member.cursor) {
    member.channel.push(member.held[0].frame)
    member.held.shift()
  }
}

const replayPage = 200
