import * as Context from "effect/Context"

/** One call of the contract: its name for people and errors, its success status, and how it may be repeated. */
export interface Operation {
  readonly name: string
  readonly success: 200 | 201
  /**
   * `safe`: it only reads. `keyed`: a write that may be repeated under one idempotency key.
   * `once`: a write that is never sent again once it may have been received.
   */
  readonly repeat: "safe" | "keyed" | "once"
}

const make = (name: string, repeat: Operation["repeat"], success: Operation["success"] = 200): Operation => ({
  name,
  repeat,
  success
})

export const exchange = make("token.exchange", "once")
export const refresh = make("token.refresh", "once")
export const profile = make("user.profile", "safe")
export const credit = make("user.credit", "safe")
export const createTask = make("tasks.create", "keyed", 201)
export const listTasks = make("tasks.list", "safe")
export const getTask = make("tasks.get", "safe")

/** The operation under way, for the transport below the derived client. */
export class CurrentOperation extends Context.Reference<CurrentOperation>()("@heddle/core/CurrentOperation", {
  defaultValue: (): Operation => make("request", "once")
}) {}
