import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Extension from "../../Extension.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Permission from "../../Permission.ts"
import * as Update from "../../schema/Update.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import type { Options } from "../../SessionOptions.ts"
import * as SessionFold from "../../SessionFold.ts"
import { BufferedNotifications } from "./BufferedNotifications.ts"
import type { PendingRequests } from "./PendingRequests.ts"
import * as RequestDeadline from "../../RequestDeadline.ts"
import type { SessionStateRef } from "./SessionStateRef.ts"

/** What the router needs of its session. */
export interface Context<E> {
  readonly options: Pick<Options<E>, "questions">
  readonly extensions: Extension.Registry<E>
  readonly clock: Clock.Clock
  readonly state: SessionStateRef
  readonly requests: PendingRequests
  publish(event: SessionEvent<E>): void
  isCancelling(): boolean
}

/** Hands on what the agent says and asks: updates to the state, requests to a person, all else to the readers. */
export class InboundRouter<E> {
  readonly #context: Context<E>
  readonly #buffered = new BufferedNotifications()
  #sessionId: string | undefined
  #received = 0

  constructor(context: Context<E>, sessionId: string | undefined) {
    this.#context = context
    this.#sessionId = sessionId
  }

  get sessionId(): string | undefined {
    return this.#sessionId
  }

  /** How many notifications there were. */
  get received(): number {
    return this.#received
  }

  /** Sets the id that the agent gave the session, and handles what it said under that id before. */
  setSessionId(id: string): void {
    this.#sessionId = id
    for (const notification of this.#buffered.release()) this.notification(notification)
  }

  notification(message: JsonRpc.Notification): void {
    const { extensions, state } = this.#context
    const { method, params } = message
    this.#received++
    const extension = extensions.read(method, params)
    if (extension !== undefined) return this.#context.publish(extension)
    const decoded = method === "session/update" ? Update.decode(params) : undefined
    if (decoded !== undefined && this.#sessionId === undefined && this.#buffered.add(message)) return
    if (decoded === undefined || decoded.sessionId !== this.#sessionId || decoded.update.sessionUpdate === "unknown") {
      return this.#context.publish({ _tag: "Unknown", method, params })
    }
    state.apply(decoded.update)
  }

  /** Undefined for a request of another kind. */
  request(message: JsonRpc.Request): Effect.Effect<unknown, JsonRpc.RpcError> | undefined {
    const { clock, extensions, options, requests, state } = this.#context
    const form = Permission.formOf(message.method, extensions.prefix)
    if (form === undefined || (form !== "permission" && options.questions !== true)) return undefined
    const read = Permission.fromRequest(form, crypto.randomUUID(), message.params)
    if (read === undefined) {
      return Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: "Invalid params" }))
    }
    const expiresAt = RequestDeadline.find(message.params, clock.unsafeCurrentTimeMillis())
    const permission = expiresAt === undefined ? read : { ...read, expiresAt }
    if (this.#context.isCancelling()) return Effect.succeed(Permission.toResult(permission, Permission.cancelled))
    const update = permission.sessionId === this.#sessionId ? SessionFold.permissionUpdate(permission) : undefined
    if (update !== undefined) state.applyLive(update)
    return requests.add(permission, message)
  }
}
