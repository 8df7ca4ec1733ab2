import { randomBytes } from "node:crypto"
import { mkdir, open, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { StackError } from "./StackError.ts"

/** The generated secrets of a data folder: the demo account's password and the bot's encryption key. */
export interface StackSecrets {
  readonly password: Redacted.Redacted
  readonly encryptionKey: Redacted.Redacted
}

/** Reads the secrets of a data folder or generates them; only the owner can read the file. */
export const load = Effect.fn("StackSecrets.load")(function* (data: string) {
  const path = join(data, "stack.json")
  const text = yield* Effect.tryPromise({
    try: () => readOrCreate(data, path),
    catch: (cause) => new StackError({ message: notWritable(data, cause), status: 2 })
  })
  const stored = yield* decode(text).pipe(
    Effect.mapError(
      () =>
        new StackError({
          message: `${path} is damaged. Move it away, or choose another folder with --data.`,
          status: 2
        })
    )
  )
  return { password: stored.password, encryptionKey: stored.encryptionKey } satisfies StackSecrets
})

const Stored = Schema.parseJson(
  Schema.Struct({
    password: Schema.Redacted(Schema.NonEmptyString),
    encryptionKey: Schema.Redacted(Schema.NonEmptyString)
  })
)
const decode = Schema.decodeUnknown(Stored)

const readOrCreate = async (data: string, path: string): Promise<string> => {
  await makeFolder(data)
  const made = JSON.stringify({
    password: randomBytes(9).toString("base64url"),
    encryptionKey: randomBytes(32).toString("base64")
  })
  try {
    const file = await open(path, "wx", 0o600)
    await file.writeFile(made)
    await file.sync()
    await file.close()
    return made
  } catch (cause) {
    if (isCode(cause, "EEXIST")) return readFile(path, "utf8")
    throw cause
  }
}

/** Like `mkdir -p`. Node's recursive mkdir never ends below a folder such as /proc. */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (cause) {
    if (isCode(cause, "EEXIST")) return
    if (!isCode(cause, "ENOENT") || dirname(path) === path) throw cause
    await makeFolder(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}

const notWritable = (data: string, cause: unknown): string =>
  isCode(cause, "EACCES") || isCode(cause, "EPERM") || isCode(cause, "EROFS")
    ? `--data ${data} is not writable. Give a folder that you may write to.`
    : `--data ${data} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}. Give another folder.`

const isCode = (cause: unknown, code: string): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === code
