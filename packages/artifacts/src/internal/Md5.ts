import { md5 } from "@noble/hashes/legacy.js"
import { bytesToHex } from "@noble/hashes/utils.js"

/** An md5 that is fed piece by piece. */
export interface Md5 {
  readonly update: (bytes: Uint8Array) => void
  /** The digest in lower-case hexadecimal digits; to be asked for once. */
  readonly digest: () => string
}

/** Starts an md5: the runtime's own where it has one, which is several times as fast, else one in JavaScript. */
export const make = (): Md5 => native() ?? portable()

interface Runtime {
  readonly process?: { readonly getBuiltinModule?: (name: "node:crypto") => NodeCrypto }
}

interface NodeCrypto {
  readonly createHash: (algorithm: "md5") => {
    readonly update: (bytes: Uint8Array) => unknown
    readonly digest: (encoding: "hex") => string
  }
}

const native = (): Md5 | undefined => {
  try {
    const { process }: Runtime = globalThis
    const hash = process?.getBuiltinModule?.("node:crypto").createHash("md5")
    return hash === undefined ? undefined : { update: (bytes) => hash.update(bytes), digest: () => hash.digest("hex") }
  } catch {
    // A runtime whose policy forbids md5 for secrecy does not forbid comparing files.
    return undefined
  }
}

const portable = (): Md5 => {
  const hash = md5.create()
  return { update: (bytes) => hash.update(bytes), digest: () => bytesToHex(hash.digest()) }
}
