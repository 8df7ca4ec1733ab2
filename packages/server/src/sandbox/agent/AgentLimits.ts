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

/** A command that sets the limits and becomes the given one; unchanged where there is no POSIX shell. */
export const limited = (
  command: ReadonlyArray<string>,
  { cpu, fileSize, files, memory, processes }: AgentLimits,
  counted: boolean
): ReadonlyArray<string> =>
  process.platform === "win32"
    ? command
    : [
        "/bin/sh",
        "-c",
        [
          limit("c", 0),
          limit("d", memory * 1024),
          limit("f", fileSize * 2048),
          limit("n", files),
          limit("t", cpu),
          ...(counted ? [limit("u", processes), limit("p", processes)] : []),
          'exec "$@"'
        ].join("; "),
        "sh",
        ...command
      ]

/**
 * One limit of the shell. A system that has a lower one already keeps it, and shells know the number of processes by
 * different letters; the subshell is there because some end at a letter that they do not know.
 */
const limit = (letter: string, value: number): string =>
  `(ulimit -${letter} ${value}) 2>/dev/null && ulimit -${letter} ${value}`
