import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Crypto from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { ServerStartError } from "./ServerStartError.ts"

/** The only secret outside the database; every key of the service is derived from it. */
export class MasterKey extends Context.Tag("@heddle/server/config/MasterKey")<
  MasterKey,
  {
    /** A 32-byte key for one purpose, the same on every start. */
    readonly derive: (purpose: string) => Uint8Array
  }
>() {}

/**
 * Reads `<data>/master.key`, or creates it for its owner only. Losing it changes every open_id and invalidates
 * tickets.
 */
export const layer = (dataDir: string): Layer.Layer<MasterKey, ServerStartError> =>
  Layer.effect(
    MasterKey,
    Effect.try({
      try: () => {
        const key = readOrCreate(Path.join(dataDir, "master.key"))
        return {
          derive: (purpose) =>
            new Uint8Array(Crypto.hkdfSync("sha256", key, new Uint8Array(0), `heddle-server ${purpose}`, 32))
        }
      },
      catch: (cause) =>
        new ServerStartError({
          setting: "--data",
          problem: `the key ${Path.join(dataDir, "master.key")} cannot be used (${String(cause)})`,
          fix: "Restore it from a backup of this folder, or choose another folder with --data."
        })
    })
  )

const readOrCreate = (file: string): Buffer => {
  if (!Fs.existsSync(file)) {
    // Written to a temporary file and linked: a crash leaves no partial key, and of two processes one key wins.
    const temporaryFile = `${file}.${process.pid}`
    Fs.writeFileSync(temporaryFile, Crypto.randomBytes(32).toString("base64url"), { mode: 0o600, flush: true })
    try {
      Fs.linkSync(temporaryFile, file)
    } catch (cause) {
      if (!Fs.existsSync(file)) throw cause
    } finally {
      Fs.unlinkSync(temporaryFile)
    }
  }
  const key = Buffer.from(Fs.readFileSync(file, "utf8").trim(), "base64url")
  if (key.length !== 32) throw new Error("it does not hold 32 bytes")
  return key
}
