/** The limits of one agent process; each process that it starts has the same limits. */
export interface AgentLimits {
  /**
   * The data segment, in MiB. The address space has no limit, because V8 and WebAssembly reserve far more than they
   * use.
   */
  readonly memory: number
  /** Processes and threads of one agent; only in bubblewrap, because elsewhere all processes of the user count. */
  readonly processes: number
  /** Open files. */
  readonly files: number
  /** The largest file that the agent may write, in MiB. */
  readonly fileSize: number
  /** Seconds of processor time. */
  readonly cpu: number
}

export const defaults: AgentLimits = { memory: 4096, processes: 512, files: 4096, fileSize: 1024, cpu: 3600 }

/** How agents are isolated from each other, from the service and from the machine. */
export interface IsolationSettings {
  /** `auto` takes bubblewrap where it works; `bubblewrap` refuses to start without it. */
  readonly mode: "auto" | "bubblewrap" | "none"
  /** Whether agents in bubblewrap have the network. */
  readonly network: boolean
  /** Whether agents in bubblewrap can make namespaces, which an agent with a sandbox of its own needs. */
  readonly namespaces: boolean
  /** Files and folders that agents in bubblewrap can read besides those of their command. */
  readonly readable: ReadonlyArray<string>
  readonly limits: AgentLimits
}

/** One agent of the service. */
export interface Agent {
  /** How tasks and clients name it. */
  readonly name: string
  /** Program and arguments. */
  readonly command: ReadonlyArray<string>
  /** Names of environment variables that it gets beside PATH, HOME, LANG and TMPDIR, such as its API key's. */
  readonly environment: ReadonlyArray<string>
  /** The sign-in method that the operator names. */
  readonly signIn: string | undefined
  readonly isolation: IsolationSettings
}

/**
 * The name of an agent that the operator has not named. Tasks with this name belong to whichever agent is the first,
 * so they go on when the operator names it.
 */
export const unnamed = "default"
