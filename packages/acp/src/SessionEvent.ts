import type { AcpError, TransportError } from "./AcpError.ts"
import type * as Extension from "./Extension.ts"
import type { PermissionRequest } from "./Permission.ts"
import type { SessionState } from "./SessionState.ts"
import type { Skipped } from "./Transport.ts"

/**
 * Why a request needs no answer any more: the agent took it back, its connection is gone (it may be asked again on the
 * next one), its turn is over, or nobody answered in time.
 */
export type Withdrawal = "agent" | "connection" | "turn" | "expired"

/** What happens in a session; `E` are the extension notifications that its registry reads. */
export type SessionEvent<E = Extension.Standard> =
  /** The newest state; `changed` names what differs since the last one: keys of entries, fields of the state. */
  | { readonly _tag: "StateChanged"; readonly state: SessionState; readonly changed: ReadonlySet<string> }
  /** Who comes later finds it in the state's `permissions`. */
  | { readonly _tag: "PermissionRequested"; readonly permission: PermissionRequest }
  | { readonly _tag: "PermissionWithdrawn"; readonly permission: PermissionRequest; readonly reason: Withdrawal }
  /** The agent has the answer to a request: until then a broken channel may have swallowed it. */
  | { readonly _tag: "PermissionAnswered"; readonly permission: PermissionRequest }
  /** A notification that the registry reads, such as an artifact push (spec 6). */
  | E
  /** A notification or an update of a kind that this version does not know, or of a session that is not this one. */
  | { readonly _tag: "Unknown"; readonly method: string; readonly params: unknown }
  | Skipped
  /** This reader was too slow for so many events; the state is right, lists are to be read anew. */
  | { readonly _tag: "Missed"; readonly count: number }
  /** The channel broke and is being re-established. */
  | { readonly _tag: "Interrupted"; readonly error: TransportError }
  /** The session is usable (again). */
  | { readonly _tag: "Ready" }
  /** The session is over; the stream ends. */
  | { readonly _tag: "Closed"; readonly error: AcpError }
