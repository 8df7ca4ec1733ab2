import type { AcpError, TransportError } from "./AcpError.ts"
import type * as Extension from "./Extension.ts"
import type { PermissionRequest } from "./Permission.ts"
import type { SessionState } from "./SessionState.ts"
import type { Skipped } from "./Transport.ts"

/**
 * Why a request needs no answer: the agent cancelled it, its connection is gone, its turn is over, or its deadline
 * passed. After a lost connection, the agent may repeat it on the next one.
 */
export type Withdrawal = "agent" | "connection" | "turn" | "expired"

/** An event of a session; `E` are the extension notifications that its registry decodes. */
export type SessionEvent<E = Extension.Standard> =
  /** The newest state; `changed` has the keys of entries and the fields that differ since the last one. */
  | { readonly _tag: "StateChanged"; readonly state: SessionState; readonly changed: ReadonlySet<string> }
  /** The request is in the state's `permissions`, too. */
  | { readonly _tag: "PermissionRequested"; readonly permission: PermissionRequest }
  | { readonly _tag: "PermissionWithdrawn"; readonly permission: PermissionRequest; readonly reason: Withdrawal }
  /** The agent has the answer; before this event it may be lost with a broken channel. */
  | { readonly _tag: "PermissionAnswered"; readonly permission: PermissionRequest }
  /** A decoded notification, such as an artifact push (contract 6). */
  | E
  /** A notification or update of an unknown kind, or of another session. */
  | { readonly _tag: "Unknown"; readonly method: string; readonly params: unknown }
  | Skipped
  /** This reader was too slow for `count` events. The state is right; lists have to be read again. */
  | { readonly _tag: "EventsDropped"; readonly count: number }
  /** The channel broke and is being re-established. */
  | { readonly _tag: "Interrupted"; readonly error: TransportError }
  /**
   * The session is usable again. `repeatsHistory` is false where the agent repeated nothing of it on the new connection:
   * what it said meanwhile is lost.
   */
  | { readonly _tag: "Ready"; readonly repeatsHistory: boolean }
  /** The session is over; the stream ends. */
  | { readonly _tag: "Closed"; readonly error: AcpError }
