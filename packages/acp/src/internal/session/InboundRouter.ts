import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Extension from "../../Extension.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Permission from "../../Permission.ts"
import * as Update from "../../schema/Update.ts"
import type { SessionEvent } from "../../SessionEvent.ts"
import * as SessionFold from "../../SessionFold.ts"
import * as BufferedNotifications from "./BufferedNotifications.ts"
import type { PendingRequests } from "./PendingRequests.ts"
import * as RequestDeadline from "../../RequestDeadline.ts"
import type { SessionStateRef } from "./SessionStateRef.ts"

/** What the router needs of its session. */
export interface Options<E> {
  readonly sessionId: string | undefined
  readonly extensions: Extension.Registry<E>
  /** Whether questions and forms are answered by a person. */
  readonly questions: boolean
  readonly clock: Clock.Clock
  readonly state: SessionStateRef
  readonly requests: PendingRequests
  readonly publish: (event: SessionEvent<E>) => void
  readonly isCancelling: () => boolean
}

/** Hands on what the agent says and asks: updates to the state, requests to a person, all else to the readers. */
export interface InboundRouter {
  readonly sessionId: () => string | undefined
  /** Sets the id that the agent gave the session, and handles what it said under that id before. */
  readonly setSessionId: (sessionId: string) => void
  readonly notification: (notification: JsonRpc.Notification) => void
  /** Undefined for a request of another kind. */
  readonly request: (request: JsonRpc.Request) => Effect.Effect<unknown, JsonRpc.RpcError> | undefined
  /** How many notifications there were. */
  readonly received: () => number
}

/** Makes the router of one session. */
export const make = <E>(options: Options<E>): InboundRouter => {
  const { extensions, publish, requests, state } = options
  const buffered = BufferedNotifications.make()
  let sessionId = options.sessionId
  let received = 0

  const notification = (message: JsonRpc.Notification) => {
    const { method, params } = message
    received++
    const extension = extensions.read(method, params)
    if (extension !== undefined) return publish(extension)
    const decoded = method === "session/update" ? Update.decode(params) : undefined
    if (decoded !== undefined && sessionId === undefined && buffered.add(message)) return
    if (decoded === undefined || decoded.sessionId !== sessionId || decoded.update.sessionUpdate === "unknown") {
      return publish({ _tag: "Unknown", method, params })
    }
    state.apply(decoded.update)
  }

  const request = (message: JsonRpc.Request) => {
    const form = Permission.formOf(message.method, extensions.prefix)
    if (form === undefined || (form !== "permission" && !options.questions)) return undefined
    const read = Permission.fromRequest(form, crypto.randomUUID(), message.params)
    if (read === undefined) {
      return Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: "Invalid params" }))
    }
    const expiresAt = RequestDeadline.find(message.params, options.clock.unsafeCurrentTimeMillis())
    const permission = expiresAt === undefined ? read : { ...read, expiresAt }
    if (options.isCancelling()) return Effect.succeed(Permission.toResult(permission, Permission.cancelled))
    const update = permission.sessionId === sessionId ? SessionFold.permissionUpdate(permission) : undefined
    if (update !== undefined) state.applyLive(update)
    return requests.add(permission, message)
  }

  return {
    sessionId: () => sessionId,
    setSessionId: (id) => {
      sessionId = id
      buffered.release().forEach(notification)
    },
    notification,
    request,
    received: () => received
  }
}
