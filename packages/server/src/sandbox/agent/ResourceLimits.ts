import type { AgentLimits } from "../../config/AgentSettings.ts"

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
