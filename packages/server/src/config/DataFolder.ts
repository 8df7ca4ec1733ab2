import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { ServerStartError } from "./ServerStartError.ts"

/** Creates the data folder where it is missing, readable by its owner only, and makes sure that it can be written. */
export const prepare = (dataDir: string): Effect.Effect<void, ServerStartError> =>
  Effect.try({
    try: () => {
      makeFolder(dataDir)
      Fs.accessSync(dataDir, Fs.constants.R_OK | Fs.constants.W_OK | Fs.constants.X_OK)
    },
    catch: (cause) =>
      new ServerStartError({
        setting: "--data",
        problem: `the folder ${dataDir} cannot be written (${errorCode(cause)})`,
        fix: "Make it writable for this user, or choose another folder with --data."
      })
  })

/**
 * Refuses a folder that has files but no service, because an administration command would silently create a second
 * service there. A new or empty folder is accepted.
 */
export const requireServerFolder = (dataDir: string): Effect.Effect<void, ServerStartError> =>
  Effect.suspend(() => {
    const names = Fs.existsSync(dataDir) ? Fs.readdirSync(dataDir) : []
    if (names.length === 0 || names.some((name) => /^(server\.(sqlite|lock|pid)|master\.key)/.test(name)))
      return Effect.void
    const serverFolder = Path.join(dataDir, "server")
    return new ServerStartError({
      setting: "--data",
      problem: `the folder ${dataDir} holds no service, and nothing was made there`,
      fix: Fs.existsSync(Path.join(serverFolder, "server.sqlite"))
        ? `The service is in --data ${serverFolder}.`
        : "Choose the folder that heddle-server serve has as --data; the local stack keeps its service in the folder server of its own."
    })
  })

/** `mkdir -p`. Node's recursive mkdir never returns when it cannot make a parent, such as below /proc. */
const makeFolder = (folder: string): void => {
  if (Fs.existsSync(folder)) return
  if (Path.dirname(folder) !== folder) makeFolder(Path.dirname(folder))
  try {
    Fs.mkdirSync(folder, { mode: 0o700 })
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!Fs.existsSync(folder)) throw cause
  }
}

const errorCode = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)
