/** What one agent process may take; what it starts has the same limits again. */
export interface AgentLimits {
  /** Its data, in MiB. The address space is not limited: V8 and WebAssembly reserve far more than they use. */
  readonly memory: number
  /** Processes and threads of one agent together; only in bubblewrap, because elsewhere all of the user's count. */
  readonly processes: number
  /** Open files. */
  readonly files: number
  /** The largest file that it writes, in MiB. */
  readonly fileSize: number
  /** Seconds of processor time. */
  readonly cpu: number
}

export const defaults: AgentLimits = { memory: 4096, processes: 512, files: 4096, fileSize: 1024, cpu: 3600 }

/** How agents are kept away from each other, from the service and from the machine. */
export interface IsolationSettings {
  /** `auto` takes bubblewrap where it works; `bubblewrap` refuses to start without it. */
  readonly mode: "auto" | "bubblewrap" | "none"
  /** Whether agents in bubblewrap have the network. */
  readonly network: boolean
  /** Files and folders that agents in bubblewrap can read beside what their command needs. */
  readonly readable: ReadonlyArray<string>
  readonly limits: AgentLimits
}
