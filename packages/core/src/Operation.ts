/** One call of the contract: its name for people and errors, its success status, and how it may be repeated. */
export interface Operation {
  readonly name: string
  /** The endpoint of the contract that it calls, as group and name; of an extension its own name. */
  readonly endpoint: string
  readonly success: 200 | 201
  /** Whether the contract wraps its success in an envelope (contract 4.6). */
  readonly enveloped: boolean
  /**
   * `safe`: it only reads. `keyed`: a write that may be repeated under one idempotency key.
   * `once`: a write that is never sent again once it may have been received.
   */
  readonly repeat: "safe" | "keyed" | "once"
  /**
   * Where a keyed write carries its key: in the `Idempotency-Key` header, if the caller gives one, or always in its
   * body.
   */
  readonly key?: "header" | "body"
}

const make = (
  name: string,
  repeat: Operation["repeat"],
  shape: Partial<Pick<Operation, "endpoint" | "success" | "enveloped" | "key">> = {}
): Operation => ({ name, repeat, endpoint: name, success: 200, enveloped: false, ...shape })

export const exchange = make("token.exchange", "once", { endpoint: "token.token" })
export const refresh = make("token.refresh", "once", { endpoint: "token.token" })
export const startDevice = make("token.startDevice", "once")
export const deviceToken = make("token.device", "once", { endpoint: "token.token" })
// Revoking twice is revoking once.
export const revoke = make("token.revoke", "keyed", { key: "body" })
export const introspect = make("token.introspect", "safe")
export const profile = make("user.profile", "safe")
export const verifyPhone = make("user.verifyPhone", "safe")
export const credit = make("user.credit", "safe")
export const assistantStatus = make("assistant.status", "safe", { enveloped: true })
export const sendMessage = make("assistant.send", "keyed", { enveloped: true, key: "header" })
export const messages = make("assistant.messages", "safe", { enveloped: true })
export const createTask = make("tasks.create", "keyed", { success: 201, key: "header" })
export const listTasks = make("tasks.list", "safe")
export const getTask = make("tasks.get", "safe")
export const redeem = make("redemptions.redeem", "keyed", { key: "body" })

/** A keyed write as one call makes it: without a key in hand it may be sent only once. */
export const withKey = (operation: Operation, idempotencyKey: string | undefined): Operation =>
  operation.key === "header" && idempotencyKey === undefined ? { ...operation, repeat: "once" } : operation
