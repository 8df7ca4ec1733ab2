// npx and pnpm do not forward SIGTERM to the script that they run. So the script watches them and stops when one of them
// has ended.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Sends SIGTERM to this process when the package manager that started it has ended. Without one it does nothing. */
export const stopWithLaunchers = () => {
  if (process.env.npm_lifecycle_event === undefined) return
  const launchers = above(process.ppid)
  if (launchers.length === 0) return
  const watch = setInterval(() => {
    if (launchers.every(isAlive)) return
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, 500)
  watch.unref()
}

/** The package managers and their shells above a process. */
const above = (pid) => {
  const found = []
  for (let at = pid; at > 1 && found.length < 10;) {
    const seen = look(at)
    if (seen === undefined || !/(^|[\s/'"])(npx|npm|pnpm)|scripts\/run\.mjs/.test(seen.command)) break
    found.push(at)
    at = seen.parent
  }
  return found
}

const isAlive = (pid) => {
  const seen = look(pid)
  return seen !== undefined && !seen.ended
}

const look = (pid) => {
  try {
    if (process.platform === "linux") {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      return { parent: Number(parent), command, ended: state === "Z" }
    }
    const line = execFileSync("ps", ["-o", "ppid=,stat=,command=", "-p", String(pid)], { encoding: "utf8" }).trim()
    const [, parent, state, command] = /^(\d+)\s+(\S+)\s+(.*)$/s.exec(line) ?? []
    return { parent: Number(parent), command: command ?? "", ended: state?.startsWith("Z") ?? true }
  } catch {
    // The process has ended or cannot be read; in both cases there is no process to watch.
    return undefined
  }
}
