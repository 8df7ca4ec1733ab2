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

/** Reads `<data>/master.key`. Losing it changes every open_id and invalidates tickets. */
export const layer = (dataDir: string): Layer.Layer<MasterKey, ServerStartError> =>
  Layer.effect(
    MasterKey,
    Effect.gen(function* () {
      if (!Fs.existsSync(path(dataDir))) return yield* unusable(dataDir, "is missing beside its database")
      const key = yield* attempt(dataDir, () => Buffer.from(Fs.readFileSync(path(dataDir), "utf8").trim(), "base64url"))
      if (key.length !== 32) return yield* unusable(dataDir, "is damaged: it does not hold 32 bytes")
      return {
        derive: (purpose) =>
          new Uint8Array(Crypto.hkdfSync("sha256", key, new Uint8Array(0), `heddle-server ${purpose}`, 32))
      }
    })
  )

/** Creates the key of a new data folder for its owner only; one that exists stays. */
export const create = (dataDir: string): Effect.Effect<void, ServerStartError> =>
  attempt(dataDir, () => {
    const file = path(dataDir)
    if (Fs.existsSync(file)) return
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
  })

/** Where the key of a data folder is. */
export const path = (dataDir: string): string => Path.join(dataDir, "master.key")

/** The refusal of a key; `problem` continues "the key FILE". */
export const unusable = (dataDir: string, problem: string): ServerStartError =>
  new ServerStartError({
    setting: "--data",
    problem: `the key ${path(dataDir)} ${problem}`,
    fix: "Nothing was changed. Restore master.key and server.sqlite from the same backup, or choose another folder with --data."
  })

/** The refusal of a key whose database is gone. */
export const withoutDatabase = (dataDir: string): ServerStartError =>
  new ServerStartError({
    setting: "--data",
    problem: `the database of the key ${path(dataDir)} was lost: server.sqlite is missing or empty`,
    fix: "Nothing was changed. Restore server.sqlite from a backup that has this key, or move master.key away to start a new service."
  })

const attempt = <A>(dataDir: string, run: () => A): Effect.Effect<A, ServerStartError> =>
  Effect.try({ try: run, catch: (cause) => unusable(dataDir, `cannot be used (${String(cause)})`) })
