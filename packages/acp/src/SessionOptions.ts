import type * as Duration from "effect/Duration"
import type * as Extension from "./Extension.ts"
import type * as Wire from "./schema/generated/AcpSchema.ts"
import type * as SessionState from "./SessionState.ts"

/** Which session is opened, and how. */
export interface Options<E = Extension.Standard> {
  /** The task id (contract 2.7). Default: the agent begins a new session and names it. */
  readonly sessionId?: string
  /** The working directory on the agent's machine. Default: "/". */
  readonly cwd?: string
  /** The known state of the session, from an earlier connection. */
  readonly state?: SessionState.SessionState
  readonly clientInfo?: Wire.Implementation
  /**
   * Whether questions and forms reach a person. Default: false, and the agent's question requests and elicitations are
   * refused. Permission requests always reach `changes`.
   */
  readonly questions?: boolean
  /** The extension notifications to decode, and the vendor's prefix. Default: artifact pushes. */
  readonly extensions?: Extension.Registry<E>
  /**
   * Prefers `session/resume` to `session/load` where the agent offers both. A resumed session does not replay what was
   * said while the channel was broken.
   */
  readonly resume?: boolean
  /** Fails with `SessionNotFound` when a load replays no history: some agents load any name without complaint. */
  readonly mustExist?: boolean
  /** How long opening may take. Default: 90 seconds, longer than a service takes to start its agent. */
  readonly openTimeout?: Duration.DurationInput
  /** How long a prompt waits for a broken channel. Default: 30 seconds. */
  readonly readyTimeout?: Duration.DurationInput
  /** When a cancelled turn ends here without a confirmation of the agent. Default: 5 seconds. */
  readonly cancelDeadline?: Duration.DurationInput
  /**
   * How long a person has to answer where the agent does not say it; then the mildest refusal is sent. Default: 300
   * seconds.
   */
  readonly permissionDeadline?: Duration.DurationInput
  /**
   * Whether a request that comes again on a new connection gets the answer that may have been lost. Default: true. Only a
   * request with `repeatId` is known to be the same. Any other one is withdrawn with its connection and published anew.
   */
  readonly repeatAnswers?: boolean
}
