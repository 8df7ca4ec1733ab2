import * as Crypto from "node:crypto"

/** The kind of a secret as its first letters, so that scanners and people recognise a leaked one. */
export type Prefix = "oa_code_" | "oa_at_" | "oa_rt_" | "oa_tk_" | "oa_cs_" | "oa_ss_" | "oa_as_" | "oa_dc_"

/** A new unguessable secret: the prefix and 256 random bits. */
export const generate = (prefix: Prefix): string => prefix + Crypto.randomBytes(32).toString("base64url")

/** How a generated secret is stored and looked up; 256 random bits need no slow hash. */
export const hash = (secret: string): string => Crypto.hash("sha256", secret, "hex")

/** Compares in constant time. */
export const equal = (a: string, b: string): boolean =>
  Crypto.timingSafeEqual(Crypto.createHash("sha256").update(a).digest(), Crypto.createHash("sha256").update(b).digest())

/** Encrypts with AES-256-GCM; the key has 32 bytes. */
export const seal = (key: Uint8Array, text: string): string => {
  const iv = Crypto.randomBytes(12)
  const cipher = Crypto.createCipheriv("aes-256-gcm", key, iv)
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")
}

/** Decrypts the output of {@link seal}; `undefined` for another key or a changed text. */
export const open = (key: Uint8Array, sealed: string): string | undefined => {
  const bytes = Buffer.from(sealed, "base64url")
  if (bytes.length < 28) return undefined
  const decipher = Crypto.createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8")
  } catch {
    // A wrong key or changed bytes are expected here; the caller issues a new secret.
    return undefined
  }
}
