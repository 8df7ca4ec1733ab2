import type { TaskId } from "@heddle/core/domain/Task"
import { randomUUID } from "node:crypto"
import * as Elicitation from "./Elicitation.ts"
import { field } from "../../internal/Json.ts"
import * as PermissionOutcome from "./PermissionOutcome.ts"
import type { Resolution } from "./Resolution.ts"
import type { SentRequest } from "../journal/Subscribers.ts"

/** A request of an agent for a person's input, in the forms that its clients support. */
export interface InputRequest {
  /** The params of the request with the session id of the clients. */
  readonly params: Readonly<Record<string, unknown>>
  /** Whether it offers anything to choose from. */
  readonly isAnswerable: boolean
  /** The request that a client is asked; `showsForms` tells whether it shows forms itself. */
  readonly requestFor: (client: { readonly showsForms: boolean }) => SentRequest
  /** Reads a client's answer to the sent request; undefined when it selects no offered option. */
  readonly readAnswer: (sent: SentRequest, result: unknown) => Resolution | undefined
  /** The result after the timeout: a refusal. */
  readonly refusal: object
  /** The result when the turn ends before an answer. */
  readonly cancellation: object
}

/**
 * Why a request whose params are JSON of `size` characters cannot be asked beside what is asked already; undefined
 * where it can.
 */
export const findProblem = (
  size: number,
  asked: { readonly open: number; readonly size: number }
): string | undefined => {
  if (size > maxChars) return `It is larger than ${maxChars} characters, so it was not shown to anyone.`
  return asked.open >= maxOpen || asked.size + size > maxOpenChars
    ? "Too many requests of this session wait for a person already, so it was not shown to anyone."
    : undefined
}

/** A permission request. */
export const permission = (request: Readonly<Record<string, unknown>>, taskId: TaskId): InputRequest => {
  const params = { ...request, sessionId: taskId }
  const options = PermissionOutcome.optionsOf(params)
  return {
    params,
    isAnswerable: options.length > 0,
    requestFor: () => ({ method: "session/request_permission", params }),
    readAnswer: (_, result) => resolutionOf(PermissionOutcome.parse(result, options)),
    refusal: { outcome: PermissionOutcome.refusal(options) },
    cancellation: { outcome: PermissionOutcome.cancelled }
  }
}

/** The form of an elicitation; undefined for an elicitation of another kind. */
export const form = (request: Readonly<Record<string, unknown>>, taskId: TaskId): InputRequest | undefined => {
  if (!Elicitation.isForm(request)) return undefined
  const params = { ...request, sessionId: taskId }
  const asPermission: SentRequest = {
    method: "session/request_permission",
    params: Elicitation.toPermission(params, randomUUID())
  }
  const options = PermissionOutcome.optionsOf(asPermission.params)
  return {
    params,
    isAnswerable: true,
    requestFor: ({ showsForms }) => (showsForms ? { method: "elicitation/create", params } : asPermission),
    readAnswer: (sent, result) => {
      if (sent.method === "elicitation/create") return Elicitation.parse(result)
      const chosen = PermissionOutcome.parse(result, options)
      return chosen === undefined ? undefined : Elicitation.fromPermission(field(params, "requestedSchema"), chosen)
    },
    refusal: Elicitation.declined.result,
    cancellation: Elicitation.cancelled.result
  }
}

const resolutionOf = (result: PermissionOutcome.Result | undefined): Resolution | undefined =>
  result === undefined ? undefined : { result, record: PermissionOutcome.describe(result.outcome) }

/** Maximum size of one request and of all open requests: a client receives all open requests at once. */
const maxChars = 1024 * 1024
const maxOpenChars = 4 * 1024 * 1024
const maxOpen = 64
