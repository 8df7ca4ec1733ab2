import type { TaskId } from "@heddle/core/domain/Task"
import { randomUUID } from "node:crypto"
import * as Elicitation from "./Elicitation.ts"
import { field } from "../../internal/Json.ts"
import * as Permission from "./PermissionOutcome.ts"

/** Something that an agent asks a person, in whatever words its clients understand. */
export interface Inquiry {
  /** What the agent asks, under the id that clients know the session by. */
  readonly params: Readonly<Record<string, unknown>>
  /** The request that a client is asked; `forms` tells whether it shows forms itself. */
  readonly requestFor: (client: { readonly forms: boolean }) => Asked
  /** Reads a client's answer to what it was asked; undefined when it chooses nothing that was offered. */
  readonly read: (asked: Asked, result: unknown) => Settled | undefined
  /** Nobody answers in time: the mildest refusal. */
  readonly refused: object
  /** The turn ends before an answer. */
  readonly cancelled: object
}

/** A request as one client was sent it. */
export interface Asked {
  readonly method: "session/request_permission" | "elicitation/create"
  readonly params: object
}

/** What the agent is answered, and a word for the record. */
export interface Settled {
  readonly result: object
  readonly record: string
}

/**
 * Why an inquiry whose params are JSON of `size` characters cannot be asked beside what is asked already; undefined
 * where it can.
 */
export const problem = (size: number, asked: { readonly open: number; readonly size: number }): string | undefined => {
  if (size > longest) return `It is larger than ${longest} characters, so nobody was asked.`
  return asked.open >= mostOpen || asked.size + size > longestOpen
    ? "Too many requests of this session wait for a person already, so nobody was asked."
    : undefined
}

/** A permission request. */
export const permission = (request: Readonly<Record<string, unknown>>, taskId: TaskId): Inquiry => {
  const params = { ...request, sessionId: taskId }
  const options = Permission.optionsOf(params)
  return {
    params,
    requestFor: () => ({ method: "session/request_permission", params }),
    read: (_, result) => settledOf(Permission.parse(result, options)),
    refused: { outcome: Permission.refusal(options) },
    cancelled: { outcome: Permission.cancelled }
  }
}

/** The form of an elicitation; undefined for an elicitation of another kind. */
export const form = (request: Readonly<Record<string, unknown>>, taskId: TaskId): Inquiry | undefined => {
  if (!Elicitation.isForm(request)) return undefined
  const params = { ...request, sessionId: taskId }
  const asPermission: Asked = {
    method: "session/request_permission",
    params: Elicitation.toPermission(params, randomUUID())
  }
  const options = Permission.optionsOf(asPermission.params)
  return {
    params,
    requestFor: ({ forms }) => (forms ? { method: "elicitation/create", params } : asPermission),
    read: (asked, result) => {
      if (asked.method === "elicitation/create") return Elicitation.parse(result)
      const chosen = Permission.parse(result, options)
      return chosen === undefined ? undefined : Elicitation.fromPermission(field(params, "requestedSchema"), chosen)
    },
    refused: Elicitation.declined.result,
    cancelled: Elicitation.cancelled.result
  }
}

const settledOf = (result: Permission.Result | undefined): Settled | undefined =>
  result === undefined ? undefined : { result, record: Permission.describe(result.outcome) }

/** In characters: of one inquiry, and of all that are open at a time. A client must be able to take these at once. */
const longest = 1024 * 1024
const longestOpen = 4 * 1024 * 1024
const mostOpen = 64
