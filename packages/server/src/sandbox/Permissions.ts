import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Audience, Member } from "./Audience.ts"
import type { Ledger } from "./Ledger.ts"
import type * as Permission from "./Permission.ts"
import type { SandboxStore } from "./SandboxStore.ts"

/** What waits for a person, asked of every connection of the task that can show it. */
export interface Permissions {
  readonly waiting: () => boolean
  readonly ask: (
    permissionId: string,
    question: Permission.Question,
    params: Readonly<Record<string, unknown>>,
    answer: Deferred.Deferred<unknown>
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

  const askOf = (member: Member, permissionId: string, { params, question }: Open) => {
    if (!member.forms.has(question.form)) return
    const id = member.nextId++
    member.asked.set(id, permissionId)
    ledger.afterwards(() => audience.send(member, JsonRpc.request(id, question.method, params)))
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

  const settle = (permissionId: string, result: unknown, record: string, by?: Member) => {
    const found = close(permissionId, record, by)
    if (found === undefined) return
    ledger.afterwards(() => Deferred.unsafeDone(found.answer, Effect.succeed(result)))
  }

  return {
    waiting: () => open.size > 0,

    ask: (permissionId, question, params, answer) => {
      const told = { ...params, sessionId: taskId }
      const asked = { params: told, question, answer }
      open.set(permissionId, asked)
      ledger.write(store.askPermission({ permissionId, taskId, params: JSON.stringify(told) }))
      for (const member of audience.members) {
        if (member.mode !== "outside") askOf(member, permissionId, asked)
      }
    },

    askLate: (member) => {
      const asked = new Set(member.asked.values())
      for (const [permissionId, each] of open) {
        if (!asked.has(permissionId)) askOf(member, permissionId, each)
      }
    },

    answered: (member, response) => {
      const permissionId = typeof response.id === "number" ? member.asked.get(response.id) : undefined
      const found = permissionId === undefined ? undefined : open.get(permissionId)
      // Answered before, withdrawn, or never asked: there is nobody left to tell.
      if (permissionId === undefined || found === undefined || JsonRpc.isFailure(response)) return
      const answer = found.question.parse(response.result)
      if (answer !== undefined) settle(permissionId, answer.result, answer.record, member)
    },

    withdraw: (permissionId) => {
      if (open.has(permissionId)) close(permissionId, "withdrawn")
    },

    expire: (permissionId) => {
      const found = open.get(permissionId)
      if (found === undefined) return false
      settle(permissionId, found.question.expired, "timed out")
      return true
    },

    cancelAll: () => {
      for (const [permissionId, { question }] of open) settle(permissionId, question.cancelled, "cancelled")
    }
  }
}

interface Open {
  readonly params: object
  readonly question: Permission.Question
  readonly answer: Deferred.Deferred<unknown>
}
