import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"

/** What a sandbox may take: times, and sizes in bytes. */
export interface Options {
  /** How long the agent may take for `initialize`, and again to open its session. */
  readonly agentStart: Duration.Duration
  /** An agent that has written nothing but what is no message for this long is given up. */
  readonly agentRubbish: Duration.Duration
  /** How long the agent may take to end by itself, and again after SIGTERM. */
  readonly agentClose: Duration.Duration
  /** An agent without a turn for this long is ended; the next prompt starts it again. */
  readonly agentIdle: Duration.Duration
  /** A turn without any sign of the agent for this long is ended; a waiting permission request stops the clock. */
  readonly turnSilence: Duration.Duration
  /** How long a permission request waits for an answer before it is refused (contract decision 114). */
  readonly permission: Duration.Duration
  /** How long the agent may take to end a cancelled turn before it is stopped itself. */
  readonly cancelGrace: Duration.Duration
  /** A comment is sent to every open stream this often (contract decision 119). */
  readonly heartbeat: Duration.Duration
  /** A stream whose reader takes nothing for this long is closed. */
  readonly stall: Duration.Duration
  /** How long a connection without its stream can be resumed. */
  readonly resume: Duration.Duration
  /** A stream with more than this waiting for its reader is closed. */
  readonly maxUnsent: number
  /** How much of a stream is kept for its resumption. */
  readonly resumeWindow: number
  /** The largest message a client may send. */
  readonly maxMessage: number
  readonly maxConnections: number
  /** Life of a signed media address (contract decision 104). */
  readonly mediaUrl: Duration.Duration
  /** More files of the artifacts folder than this are not shown. */
  readonly artifactFiles: number
  /** More than this of a session's artifacts is not kept beside its files, in characters of JSON. */
  readonly artifactBytes: number
  /** Whether the last message of a turn becomes its overview, for agents that send none themselves. */
  readonly overview: boolean
  /** The prefix of extension notifications (contract decision 117). */
  readonly extensionPrefix: string
}

/** The options of a service that is started with these settings. */
export const layer = (given: Partial<Options>): Layer.Layer<never> =>
  Layer.succeed(SandboxOptions, { ...defaults, ...given })

export const defaults: Options = {
  agentStart: Duration.seconds(30),
  agentRubbish: Duration.seconds(5),
  agentClose: Duration.seconds(1),
  agentIdle: Duration.minutes(10),
  turnSilence: Duration.minutes(30),
  permission: Duration.minutes(5),
  cancelGrace: Duration.seconds(5),
  heartbeat: Duration.seconds(15),
  stall: Duration.seconds(60),
  resume: Duration.seconds(60),
  maxUnsent: 8 * 1024 * 1024,
  resumeWindow: 1024 * 1024,
  maxMessage: 16 * 1024 * 1024,
  maxConnections: 64,
  mediaUrl: Duration.minutes(15),
  artifactFiles: 5000,
  artifactBytes: 64 * 1024 * 1024,
  overview: false,
  extensionPrefix: "_vendor.ai"
}

/** The options of all sandboxes of this service; {@link defaults} where nothing else is provided. */
export class SandboxOptions extends Context.Reference<SandboxOptions>()("@heddle/server/config/SandboxOptions", {
  defaultValue: () => defaults
}) {}
