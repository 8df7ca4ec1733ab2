import { execFileSync } from "node:child_process"

/** Why bubblewrap does not work on this machine; undefined where it does. */
export const problem = (): string | undefined => {
  try {
    execFileSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"], {
      stdio: ["ignore", "ignore", "pipe"]
    })
    return undefined
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer }
    return code === "ENOENT" ? "it is not installed" : String(stderr).trim()
  }
}
