import * as Os from "node:os"
import * as Path from "node:path"

/** Where this program keeps its data by default: under the user's state directory. */
export const defaultPath = (): string =>
  Path.join(
    process.platform === "win32"
      ? (process.env["LOCALAPPDATA"] ?? Path.join(Os.homedir(), "AppData", "Local"))
      : (process.env["XDG_STATE_HOME"] ?? Path.join(Os.homedir(), ".local", "state")),
    "heddle",
    "assistant"
  )
