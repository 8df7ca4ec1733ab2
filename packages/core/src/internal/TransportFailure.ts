/**
 * Why a request got no response, in words without any address or value, and whether it certainly was not sent.
 */
export interface TransportFailure {
  readonly reason: string
  readonly neverSent: boolean
}

/** Reads the cause of a transport error of fetch or of Node: the first known error code in its chain of causes. */
export const read = (cause: unknown): TransportFailure => {
  for (const error of withCauses(cause)) {
    const code = codeOf(error)
    const reason = code === undefined ? undefined : reasons.get(code)
    if (reason !== undefined) return { reason, neverSent: true }
    if (code?.startsWith("ERR_TLS_") === true || code?.includes("CERT") === true) {
      return { reason: "its certificate is not trusted", neverSent: true }
    }
  }
  return { reason: "the connection broke", neverSent: false }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "the connection was refused"],
  ["ENOTFOUND", "its host name does not resolve"],
  ["EAI_AGAIN", "its host name does not resolve now"],
  ["EHOSTUNREACH", "its host is unreachable"],
  ["ENETUNREACH", "its network is unreachable"],
  ["EADDRNOTAVAIL", "its address is not available"],
  ["UND_ERR_CONNECT_TIMEOUT", "connecting took too long"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is not trusted"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "its certificate is not trusted"]
])

/** The error, its causes and, of an aggregate, its members; bounded. */
const withCauses = (cause: unknown, depth = 0): ReadonlyArray<unknown> => {
  if (depth > 4 || typeof cause !== "object" || cause === null) return []
  const members = "errors" in cause && Array.isArray(cause.errors) ? cause.errors.slice(0, 4) : []
  const inner = "cause" in cause ? [cause.cause] : []
  return [cause, ...[...inner, ...members].flatMap((error) => withCauses(error, depth + 1))]
}

const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined
