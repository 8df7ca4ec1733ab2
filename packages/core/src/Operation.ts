import * as Context from "effect/Context"

/** One call of the contract: its name for people and errors, its success status, and how it may be repeated. */
export interface Operation {
  readonly name: string
  readonly success: 200 | 201
  /** Whether the contract wraps its success in an envelope (4.6). */
  readonly enveloped: boolean
  /**
   * `safe`: it only reads. `keyed`: a write that may be repeated under one idempotency key.
   * `once`: a write that is never sent again once it may have been received.
   */
  readonly repeat: "safe" | "keyed" | "once"
}

const make = (
  name: string,
  repeat: Operation["repeat"],
  shape: { readonly success?: Operation["success"]; readonly enveloped?: boolean } = {}
): Operation => ({ name, repeat, success: shape.success ?? 200, enveloped: shape.enveloped ?? false })

export const exchange = make("token.exchange", "once")
export const refresh = make("token.refresh", "once")
export const authorizeDevice = make("token.authorizeDevice", "once")
export const exchangeDevice = make("token.exchangeDevice", "once")
// Revoking twice is revoking once.
export const revoke = make("token.revoke", "keyed")
export const introspect = make("token.introspect", "safe")
export const profile = make("user.profile", "safe")
export const verifyPhone = make("user.verifyPhone", "safe")
export const credit = make("user.credit", "safe")
export const assistantStatus = make("assistant.status", "safe", { enveloped: true })
export const sendMessage = make("assistant.send", "keyed", { enveloped: true })
export const messages = make("assistant.messages", "safe", { enveloped: true })
export const createTask = make("tasks.create", "keyed", { success: 201 })
export const listTasks = make("tasks.list", "safe")
export const getTask = make("tasks.get", "safe")
export const redeem = make("redemptions.redeem", "keyed")

/** The operation under way, for the transport below the derived client. */
export class CurrentOperation extends Context.Reference<CurrentOperation>()("@heddle/core/CurrentOperation", {
  defaultValue: (): Operation => make("request", "once")
}) {}
