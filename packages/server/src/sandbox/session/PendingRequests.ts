import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Audience, Member } from "./Subscribers.ts"
import type { Inquiry } from "./InputRequest.ts"
import type { Ledger } from "./UnitOfWork.ts"
import type { SandboxStore } from "./SandboxStore.ts"

/** What waits for a person's answer, asked of every connection of the task. */
export interface Permissions {
  readonly waiting: () => boolean
  readonly ask: (permissionId: string, inquiry: Inquiry, answer: Deferred.Deferred<unknown>) => void
  /** Asks a connection that came later everything that still waits. */
  readonly askLate: (member: Member) => void
  /**
   * Takes a connection's answer; the first one that chooses what was offered counts. An error says that nobody can be
   * asked there: "refused by all" when nobody is left who could be, and the mildest refusal is taken.
   */
  readonly answered: (member: Member, response: JsonRpc.Success | JsonRpc.Failure) => "refused by all" | undefined
  /** The agent no longer wants the answer. */
  readonly withdraw: (permissionId: string) => void
  /** Nobody answered in time: the mildest refusal is taken. False when it had been answered. */
  readonly expire: (permissionId: string) => boolean
  /** The turn is cancelled or over: everything that waits is answered so. */
  readonly cancelAll: () => void
}

/** Makes the permissions of one task. */
export const make = (taskId: TaskId, audience: Audience, ledger: Ledger, store: SandboxStore["Type"]): Permissions => {
  const open = new Map<string, Open>()

  const askOf = (member: Member, permissionId: string, inquiry: Inquiry) => {
    const id = member.nextId++
    const asked = inquiry.requestFor(member)
    member.asked.set(id, { ...asked, permissionId })
    ledger.afterwards(() => audience.send(member, JsonRpc.request(id, asked.method, asked.params)))
  }

  /** Takes a request off the table; the connections that did not answer it are told. */
  const close = (permissionId: string, record: string, answeredBy?: Member) => {
    const found = open.get(permissionId)
    open.delete(permissionId)
    ledger.write(store.closePermission(permissionId, record))
    for (const member of audience.members) {
      for (const [id, asked] of member.asked) {
        if (asked.permissionId !== permissionId) continue
        member.asked.delete(id)
        if (member === answeredBy) continue
        ledger.afterwards(() => audience.send(member, JsonRpc.notification("$/cancel_request", { requestId: id })))
      }
    }
    return found
  }

  /** Whether a connection may still answer: it was asked, or will be when its replay has caught up. */
  const waitedFor = (permissionId: string, refusedBy: WeakSet<Member>) =>
    [...audience.members].some(
      (member) =>
        (member.mode === "following" && !refusedBy.has(member)) ||
        [...member.asked.values()].some((each) => each.permissionId === permissionId)
    )

  const settle = (permissionId: string, result: object, record: string, by?: Member) => {
    const found = close(permissionId, record, by)
    if (found === undefined) return
    ledger.afterwards(() => Deferred.unsafeDone(found.answer, Effect.succeed(result)))
  }

  return {
    waiting: () => open.size > 0,

    ask: (permissionId, inquiry, answer) => {
      open.set(permissionId, { inquiry, answer, refusedBy: new WeakSet() })
      ledger.write(store.askPermission({ permissionId, taskId, params: JSON.stringify(inquiry.params) }))
      for (const member of audience.members) {
        if (member.mode !== "outside") askOf(member, permissionId, inquiry)
      }
    },

    askLate: (member) => {
      const asked = new Set([...member.asked.values()].map(({ permissionId }) => permissionId))
      for (const [permissionId, { inquiry, refusedBy }] of open) {
        if (!asked.has(permissionId) && !refusedBy.has(member)) askOf(member, permissionId, inquiry)
      }
    },

    answered: (member, response) => {
      const asked = typeof response.id === "number" ? member.asked.get(response.id) : undefined
      const found = asked === undefined ? undefined : open.get(asked.permissionId)
      // Answered before, withdrawn, or never asked: there is nobody left to tell.
      if (asked === undefined || found === undefined) return undefined
      const { permissionId } = asked
      if (JsonRpc.isFailure(response)) {
        found.refusedBy.add(member)
        member.asked.delete(Number(response.id))
        if (waitedFor(permissionId, found.refusedBy)) return undefined
        settle(permissionId, found.inquiry.refused, "refused by error")
        return "refused by all"
      }
      const settled = found.inquiry.read(asked, response.result)
      if (settled !== undefined) settle(permissionId, settled.result, settled.record, member)
      return undefined
    },

    withdraw: (permissionId) => {
      if (open.has(permissionId)) close(permissionId, "withdrawn")
    },

    expire: (permissionId) => {
      const found = open.get(permissionId)
      if (found === undefined) return false
      settle(permissionId, found.inquiry.refused, "timed out")
      return true
    },

    cancelAll: () => {
      for (const [permissionId, { inquiry }] of open) settle(permissionId, inquiry.cancelled, "cancelled")
    }
  }
}

interface Open {
  readonly inquiry: Inquiry
  readonly answer: Deferred.Deferred<unknown>
  /** Who answered with an error, and is not asked again. */
  readonly refusedBy: WeakSet<Member>
}
