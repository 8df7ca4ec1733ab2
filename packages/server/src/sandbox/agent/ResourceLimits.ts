import type { AgentLimits } from "../../config/AgentSettings.ts"

/** Wraps a command in a shell that sets the limits; unchanged where there is no POSIX shell. */
export const withLimits = (
  command: ReadonlyArray<string>,
  { cpu, fileSize, files, memory, processes }: AgentLimits,
  limitsProcesses: boolean
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
          ...(limitsProcesses ? [limit("u", processes), limit("p", processes)] : []),
          'exec "$@"'
        ].join("; "),
        "sh",
        ...command
      ]

/**
 * One limit of the shell. A lower limit of the system stays. Shells use different letters for the number of processes,
 * and some exit at an unknown letter, so a subshell tries it first.
 */
const limit = (letter: string, value: number): string =>
  `(ulimit -${letter} ${value}) 2>/dev/null && ulimit -${letter} ${value}`
