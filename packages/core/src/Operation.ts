/** One operation of the contract: its name in messages, its success status, and how it may be repeated. */
export interface Operation {
  readonly name: string
  /** The endpoint of the contract as `group.name`; an extension has its own name. */
  readonly endpoint: string
  readonly successStatus: 200 | 201
  /** Whether the contract wraps its success in an envelope (contract 4.6). */
  readonly enveloped: boolean
  /**
   * `safe`: it only reads. `keyed`: a write that may be repeated under one idempotency key that the service keeps.
   * `once`: a write that is never sent again once it may have been received.
   */
  readonly repeat: "safe" | "keyed" | "once"
  /**
   * Where a keyed write carries its idempotency key: in the optional `Idempotency-Key` header, or in its body, which
   * always has one.
   */
  readonly keyIn?: "header" | "body"
  /** It makes something new each time, so that only a refusal before it acted says that it made nothing. */
  readonly creates?: boolean
}

const make = (
  name: string,
  repeat: Operation["repeat"],
  shape: Partial<Pick<Operation, "endpoint" | "successStatus" | "enveloped" | "keyIn" | "creates">> = {}
): Operation => ({ name, repeat, endpoint: name, successStatus: 200, enveloped: false, ...shape })

export const exchange = make("token.exchange", "once", { endpoint: "token.token" })
export const refresh = make("token.refresh", "once", { endpoint: "token.token" })
export const startDevice = make("token.startDevice", "once")
export const deviceToken = make("token.device", "once", { endpoint: "token.token" })
// Revoking a token twice has the effect of revoking it once.
export const revoke = make("token.revoke", "keyed", { keyIn: "body" })
export const introspect = make("token.introspect", "safe")
export const profile = make("user.profile", "safe")
export const verifyPhone = make("user.verifyPhone", "safe")
export const credit = make("user.credit", "safe")
export const assistantStatus = make("assistant.status", "safe", { enveloped: true })
export const sendMessage = make("assistant.send", "keyed", { enveloped: true, keyIn: "header", creates: true })
export const messages = make("assistant.messages", "safe", { enveloped: true })
export const createTask = make("tasks.create", "keyed", { successStatus: 201, keyIn: "header", creates: true })
export const listTasks = make("tasks.list", "safe")
export const getTask = make("tasks.get", "safe")
export const listAgents = make("tasks.agents", "safe")
export const redeem = make("redemptions.redeem", "keyed", { keyIn: "body" })

/**
 * The operation for one call. A write with an optional key may be sent only once, unless it has a key that the service
 * is known to keep.
 */
export const withKey = (operation: Operation, keptKey: string | undefined): Operation =>
  operation.keyIn === "header" && keptKey === undefined ? { ...operation, repeat: "once" } : operation
