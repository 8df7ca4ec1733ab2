import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import { defaults as serverDefaults } from "./ServerConfig.ts"

/** The time limits of a sandbox, and its sizes in bytes. */
export interface Options {
  /** How long the agent may take for `initialize`, and again to open its session. */
  readonly agentStart: Duration.Duration
  /** An agent that writes only invalid messages for this long is stopped. */
  readonly agentRubbish: Duration.Duration
  /** How long the agent may take to exit, and again after SIGTERM. */
  readonly agentClose: Duration.Duration
  /** An agent without a turn for this long is stopped; the next prompt starts it again. */
  readonly agentIdle: Duration.Duration
  /** A sandbox that nothing uses for this long is unloaded; its next use loads it again. */
  readonly sandboxIdle: Duration.Duration
  /** How many agents run at once in the whole service; then one that rests ends for another one. */
  readonly maxAgents: number
  /** How many of them work for tasks of one user. */
  readonly maxAgentsPerUser: number
  /** How long a prompt waits for an agent while as many as may run are at work. */
  readonly agentWait: Duration.Duration
  /** A turn without output of the agent for this long ends; a pending permission request stops the clock. */
  readonly turnSilence: Duration.Duration
  /** How long a permission request waits before it is refused (contract decision 114). */
  readonly permission: Duration.Duration
  /** How long the agent may take to end a cancelled turn before the agent is stopped. */
  readonly cancelGrace: Duration.Duration
  /** The interval of comments on every open stream (contract decision 119). */
  readonly heartbeat: Duration.Duration
  /** A stream whose client reads nothing for this long is closed. */
  readonly stall: Duration.Duration
  /** How long a connection without its stream can be resumed. */
  readonly resume: Duration.Duration
  /** A stream with more unsent bytes than this is closed. */
  readonly maxUnsent: number
  /** The bytes of all streams together that are unsent or kept for a resume. */
  readonly maxHeld: number
  /** The bytes of a stream that are kept for a resume. */
  readonly resumeWindow: number
  /** The largest message a client may send. */
  readonly maxMessage: number
  readonly maxConnections: number
  /** Life of a signed media address (contract decision 104). */
  readonly mediaUrl: Duration.Duration
  /** The number of files of the artifacts folder that are shown. */
  readonly artifactFiles: number
  /** The stored artifacts of a session besides its files, in characters of JSON. */
  readonly artifactBytes: number
  /** The files of prompts that a task keeps. */
  readonly attachmentFiles: number
  /** The bytes of these files together. */
  readonly attachmentBytes: number
  /** How long archived tasks are kept; undefined for ever. */
  readonly keepArchived: Duration.Duration | undefined
  /** What an agent may write in one turn, in bytes of the history. */
  readonly maxTurnBytes: number
  /** The size of a task's history from which on no turn begins. */
  readonly maxTaskBytes: number
  /** Whether the last message of a turn becomes its overview, for agents that send none themselves. */
  readonly overview: boolean
  /** Whether clients may name MCP servers for the agent, which start in its sandbox. */
  readonly clientMcpServers: boolean
  /** The prefix of extension notifications (contract decision 117). */
  readonly extensionPrefix: string
}

/** Provides the options with these overrides. */
export const layer = (overrides: Partial<Options>): Layer.Layer<never> =>
  Layer.succeed(SandboxOptions, { ...defaults, ...overrides })

export const defaults: Options = {
  agentStart: Duration.seconds(30),
  agentRubbish: Duration.seconds(5),
  agentClose: Duration.seconds(1),
  agentIdle: Duration.minutes(10),
  sandboxIdle: Duration.minutes(1),
  maxAgents: serverDefaults.maxAgents,
  maxAgentsPerUser: serverDefaults.maxAgentsPerUser,
  agentWait: Duration.minutes(10),
  turnSilence: Duration.minutes(30),
  permission: Duration.minutes(5),
  cancelGrace: Duration.seconds(5),
  heartbeat: Duration.seconds(15),
  stall: Duration.seconds(60),
  resume: Duration.seconds(60),
  maxUnsent: 8 * 1024 * 1024,
  maxHeld: 256 * 1024 * 1024,
  resumeWindow: 1024 * 1024,
  maxMessage: 16 * 1024 * 1024,
  maxConnections: 64,
  mediaUrl: Duration.minutes(15),
  artifactFiles: 5000,
  artifactBytes: 64 * 1024 * 1024,
  attachmentFiles: 1000,
  attachmentBytes: 512 * 1024 * 1024,
  keepArchived: undefined,
  maxTurnBytes: serverDefaults.maxTurnBytes,
  maxTaskBytes: serverDefaults.maxTaskBytes,
  overview: false,
  clientMcpServers: false,
  extensionPrefix: "_vendor.ai"
}

/** The options of all sandboxes of this service; by default {@link defaults}. */
export class SandboxOptions extends Context.Reference<SandboxOptions>()("@heddle/server/config/SandboxOptions", {
  defaultValue: () => defaults
}) {}
