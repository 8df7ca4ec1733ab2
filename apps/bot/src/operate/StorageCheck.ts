import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as KeyCheck from "../store/database/KeyCheck.ts"
import * as LockFile from "../store/database/LockFile.ts"
import { failed, type Finding, ok } from "./Finding.ts"

/** Whether the keys can encrypt secrets, and decrypt those of the data folder. */
export const key = (
  encryptionKey: Redacted.Redacted,
  dataDir: string | undefined
): Effect.Effect<Finding, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const isFitting = dataDir === undefined || (yield* fits(dataDir))
    return isFitting ? ok(setting, "it is a 256-bit key") : failed(setting, KeyCheck.problem(dataDir), KeyCheck.fix)
  }).pipe(
    Effect.provide(EncryptionKey.layerText(encryptionKey)),
    Effect.catchTag("InvalidEncryptionKey", () =>
      Effect.succeed(
        failed(
          setting,
          "it is not a 256-bit key",
          "Give 32 random bytes in base64 or hex, for example from `openssl rand -base64 32`."
        )
      )
    )
  )

const setting = "HEDDLE_ENCRYPTION_KEY"

/** A database that cannot be read tells nothing about its keys. */
const fits = (dataDir: string) => Effect.orElseSucceed(KeyCheck.fitsFolder(dataDir), () => true)

/** Whether the data folder is writable; creates a missing one, like a start. */
export const folder = (dataDir: string): Effect.Effect<Finding, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const holder = yield* LockFile.holder(dataDir)
    if (Option.isSome(holder)) return ok("HEDDLE_DATA", `the running bot uses it (process id ${holder.value})`)
    yield* Effect.scoped(LockFile.acquire(dataDir))
    return ok("HEDDLE_DATA", `${dataDir} can be written`)
  }).pipe(Effect.catchAll((error) => Effect.succeed(failed(error.setting, error.problem, error.fix))))
