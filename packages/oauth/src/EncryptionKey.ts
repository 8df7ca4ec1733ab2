import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Random from "./internal/Random.ts"

/** The stored text cannot be read: its key is not among the configured ones, or it was changed. Nothing is deleted. */
export class DecryptionFailed extends Schema.TaggedError<DecryptionFailed>()("DecryptionFailed", {
  reason: Schema.Literal("unknownKey", "damaged")
}) {
  override get message(): string {
    return this.reason === "unknownKey"
      ? "Stored tokens were encrypted with another key. Put that key behind the current one, separated by a comma."
      : "A stored token is damaged and cannot be decrypted."
  }
}

/** A text is not a 256-bit key. */
export class InvalidEncryptionKey extends Schema.TaggedError<InvalidEncryptionKey>()("InvalidEncryptionKey", {}) {
  override get message(): string {
    return "An encryption key must be 32 random bytes in base64 or hex, for example from `openssl rand -base64 32`."
  }
}

/** Encryption of secrets at rest: AES-256-GCM with a random nonce. */
export class EncryptionKey extends Context.Tag("@heddle/oauth/EncryptionKey")<
  EncryptionKey,
  {
    /** Encrypts for one place, which has to be named again to decrypt: a value moved elsewhere is damaged. */
    readonly seal: (secret: Redacted.Redacted, place: string) => Effect.Effect<string>
    /** Decrypts with whichever of the keys the text was encrypted with. */
    readonly open: (sealed: string, place: string) => Effect.Effect<Redacted.Redacted, DecryptionFailed>
  }
>() {}

/** Encrypts with the first key and decrypts with any: to rotate, put a new key in front. */
export const layer = (
  keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted>
): Layer.Layer<EncryptionKey, InvalidEncryptionKey> =>
  Layer.effect(
    EncryptionKey,
    Effect.map(Effect.forEach(keys, read), ([current, ...previous]) => make([current, ...previous]))
  )

/** Keys from one text, separated by commas: the current one first. */
export const layerText = (text: Redacted.Redacted): Layer.Layer<EncryptionKey, InvalidEncryptionKey> =>
  layer(Arr.map(split(Redacted.value(text)), (key) => Redacted.make(key)))

/** Keys from configuration, as {@link layerText} takes them. */
export const layerConfig = (name = "HEDDLE_ENCRYPTION_KEY"): Layer.Layer<EncryptionKey, ConfigError.ConfigError> =>
  Layer.unwrapEffect(
    Effect.map(Config.redacted(name), (setting) =>
      Layer.mapError(layerText(setting), (error) => ConfigError.InvalidData([name], error.message))
    )
  )

/** A new random key, as the configuration takes it. */
export const generate: Effect.Effect<Redacted.Redacted> = Effect.map(Random.token, Redacted.make)

interface Key {
  readonly id: string
  readonly key: CryptoKey
}

const make = (keys: readonly [Key, ...ReadonlyArray<Key>]): Context.Tag.Service<EncryptionKey> => ({
  seal: (secret, place) =>
    Effect.promise(async () => {
      const { id, key } = keys[0]
      const nonce = crypto.getRandomValues(new Uint8Array(12))
      const data = await crypto.subtle.encrypt(algorithm(nonce, place), key, bytes(Redacted.value(secret)))
      return [version, id, Encoding.encodeBase64Url(nonce), Encoding.encodeBase64Url(new Uint8Array(data))].join(".")
    }),
  open: (sealed, place) =>
    Effect.gen(function* () {
      const [format, id, nonce, data] = sealed.split(".")
      const found = keys.find((each) => each.id === id)
      if (format !== version || found === undefined) return yield* new DecryptionFailed({ reason: "unknownKey" })
      const decoded = Either.all([Encoding.decodeBase64Url(nonce ?? ""), Encoding.decodeBase64Url(data ?? "")])
      if (Either.isLeft(decoded)) return yield* new DecryptionFailed({ reason: "damaged" })
      const [nonceBytes, dataBytes] = decoded.right
      const plain = yield* Effect.tryPromise({
        try: () => crypto.subtle.decrypt(algorithm(nonceBytes, place), found.key, new Uint8Array(dataBytes)),
        catch: () => new DecryptionFailed({ reason: "damaged" })
      })
      return Redacted.make(new TextDecoder().decode(plain))
    })
})

const version = "v1"

const algorithm = (nonce: Uint8Array, place: string): AesGcmParams => ({
  name: "AES-GCM",
  iv: new Uint8Array(nonce),
  additionalData: bytes(place)
})

const bytes = (text: string) => new TextEncoder().encode(text)

const split = (setting: string): Arr.NonEmptyArray<string> => {
  const [first = "", ...rest] = setting.split(",").map((key) => key.trim())
  return [first, ...rest.filter((key) => key !== "")]
}

/** A key is known by the start of its hash, so that rotation needs no names. */
const read = (text: Redacted.Redacted): Effect.Effect<Key, InvalidEncryptionKey> =>
  Effect.gen(function* () {
    const written = Redacted.value(text)
    const raw = /^[0-9a-f]{64}$/i.test(written)
      ? Encoding.decodeHex(written.toLowerCase())
      : Encoding.decodeBase64Url(written.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""))
    if (Either.isLeft(raw) || raw.right.length !== 32) return yield* new InvalidEncryptionKey()
    const material = new Uint8Array(raw.right)
    const key = yield* Effect.promise(() =>
      crypto.subtle.importKey("raw", material, "AES-GCM", false, ["encrypt", "decrypt"])
    )
    const hash = yield* Random.sha256(`heddle key id ${Encoding.encodeHex(material)}`)
    return { id: Encoding.encodeHex(hash.slice(0, 4)), key }
  })
