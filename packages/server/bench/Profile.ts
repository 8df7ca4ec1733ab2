import * as Crypto from "node:crypto"

/** The token that the servers beside ours know, and what they know about it. */
export const token = `oa_at_${Crypto.randomBytes(32).toString("base64url")}`

const hash = (text: string): string => Crypto.createHash("sha256").update(text).digest("hex")

const grants = new Map([
  [
    hash(token),
    { scopes: new Set(["user.profile.readable"]), expiresAt: Date.now() + 86_400_000, nickname: "Ada", avatar: "" }
  ]
])

/**
 * The least that the answer takes: header, hash, look-up, expiry, scope; as JSON, or undefined where it is a refusal.
 */
export const read = (authorization: string | undefined): string | undefined => {
  const match = /^bearer +([^\s]+) *$/i.exec(authorization ?? "")
  const grant = match?.[1] === undefined ? undefined : grants.get(hash(match[1]))
  if (grant === undefined || grant.expiresAt < Date.now() || !grant.scopes.has("user.profile.readable"))
    return undefined
  return JSON.stringify({ nickname: grant.nickname, avatar: grant.avatar })
}

/** The headers that our server answers with. */
export const headers = () => ({
  "content-type": "application/json; charset=utf-8",
  "cache-control": "private, no-store",
  "x-request-id": Crypto.randomUUID()
})
