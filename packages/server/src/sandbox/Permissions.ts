import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Audience, Member } from "./Audience.ts"
import type { Ledger } from "./Ledger.ts"
import * as Permission from "./Permission.ts"
import type { SandboxStore } from "./SandboxStore.ts"

/** The permission requests that wait for a person, asked of every connection of the task. */
export interface Permissions {
  readonly waiting: () => boolean
  readonly ask: (
    permissionId: string,
    params: Readonly<Record<string, unknown>>,
    answer: Deferred.Deferred<Permission.Outcome>
  ) => void
  /** Asks a connection that came later everything that still waits. */
  readonly askLate: (member: Member) => void
  /** Takes a connection's answer; the first one that chooses what was offered counts. */
  readonly answered: (member: Member, response: JsonRpc.Success | JsonRpc.Failure) => void
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

  const askOf = (member: Member, permissionId: string, params: object) => {
    const id = member.nextId++
    member.asked.set(id, permissionId)
    ledger.afterwards(() => audience.send(member, JsonRpc.request(id, "session/request_permission", params)))
  }

  /** Takes a request off the table; the connections that did not answer it are told. */
  const close = (permissionId: string, record: string, answeredBy?: Member) => {
    const found = open.get(permissionId)
    open.delete(permissionId)
    ledger.write(store.closePermission(permissionId, record))
    for (const member of audience.members) {
      for (const [id, about] of member.asked) {
        if (about !== permissionId) continue
        member.asked.delete(id)
        if (member === answeredBy) continue
        ledger.afterwards(() => audience.send(member, JsonRpc.notification("$/cancel_request", { requestId: id })))
      }
    }
    return found
  }

  const settle = (permissionId: string, outcome: Permission.Outcome, record: string, by?: Member) => {
    const found = close(permissionId, record, by)
    if (found === undefined) return
    ledger.afterwards(() => Deferred.unsafeDone(found.answer, Effect.succeed(outcome)))
  }

  return {
    waiting: () => open.size > 0,

    ask: (permissionId, params, answer) => {
      const told = { ...params, sessionId: taskId }
      open.set(permissionId, { params: told, options: Permission.optionsOf(params), answer })
      ledger.write(store.askPermission({ permissionId, taskId, params: JSON.stringify(told) }))
      for (const member of audience.members) {
        if (member.mode !== "outside") askOf(member, permissionId, told)
      }
    },

    askLate: (member) => {
      const asked = new Set(member.asked.values())
      for (const [permissionId, { params }] of open) {
        if (!asked.has(permissionId)) askOf(member, permissionId, params)
      }
    },

    answered: (member, response) => {
      const permissionId = typeof response.id === "number" ? member.asked.get(response.id) : undefined
      const found = permissionId === undefined ? undefined : open.get(permissionId)
      // Answered before, withdrawn, or never asked: there is nobody left to tell.
      if (permissionId === undefined || found === undefined || JsonRpc.isFailure(response)) return
      const outcome = Permission.parse(response.result, found.options)
      if (outcome !== undefined) settle(permissionId, outcome, Permission.describe(outcome), member)
    },

    withdraw: (permissionId) => {
      if (open.has(permissionId)) close(permissionId, "withdrawn")
    },

    expire: (permissionId) => {
      const found = open.get(permissionId)
      if (found === undefined) return false
      settle(permissionId, Permission.refusal(found.options), "timed out")
      return true
    },

    cancelAll: () => {
      for (const permissionId of open.keys()) settle(permissionId, Permission.cancelled, "cancelled")
    }
  }
}

interface Open {
  readonly params: object
  readonly options: ReadonlyArray<Permission.Option>
  readonly answer: Deferred.Deferred<Permission.Outcome>
}
