import * as SqlClient from "@effect/sql/SqlClient"
import type { InvalidGrant, InvalidRequest } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"

/** A code as presented at the token endpoint (RFC 6749 4.1.3, RFC 7636 4.5). */
export interface PresentedCode {
  readonly clientId: string
  readonly code: Redacted.Redacted
  readonly redirectUri: string
  readonly codeVerifier: Redacted.Redacted | undefined
}

/** A stored code. `usedAt` is epoch milliseconds. */
export interface CodeRow {
  readonly grantId: string
  readonly redirectUri: string
  readonly codeChallenge: string | null
  readonly usedAt: number | null
}

/** The rows of authorization codes, stored as hashes. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = Effect.fnUntraced(function* (
    grantId: string,
    request: { readonly redirectUri: string; readonly codeChallenge: string | undefined }
  ) {
    const code = Secret.generate("oa_code_")
    const now = yield* Clock.currentTimeMillis
    yield* sql`INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, expires_at)
      VALUES (${Secret.hash(code)}, ${grantId}, ${request.redirectUri},
        ${request.codeChallenge ?? null}, ${now + Duration.toMillis("10 minutes")})`
    return Redacted.make(code)
  })

  /**
   * Redeems a code and returns its grant. One statement checks all conditions, so only a valid attempt uses up the code.
   */
  const redeem = Effect.fnUntraced(function* ({ clientId, code, codeVerifier, redirectUri }: PresentedCode) {
    const now = yield* Clock.currentTimeMillis
    const used = yield* sql<{ grantId: string }>`UPDATE authorization_codes SET used_at = ${now}
      WHERE code_hash = ${Secret.hash(Redacted.value(code))} AND used_at IS NULL AND expires_at > ${now}
        AND redirect_uri = ${redirectUri} AND COALESCE(code_challenge, '') = ${challengeOf(codeVerifier) ?? ""}
        AND grant_id IN (SELECT grant_id FROM grants WHERE client_id = ${clientId} AND revoked_at IS NULL)
      RETURNING grant_id AS "grantId"`
    return used[0]?.grantId
  })

  const find = ({ clientId, code }: PresentedCode) =>
    Effect.map(
      sql<CodeRow>`SELECT c.grant_id AS "grantId", c.redirect_uri AS "redirectUri",
          c.code_challenge AS "codeChallenge", c.used_at AS "usedAt"
        FROM authorization_codes c JOIN grants g ON g.grant_id = c.grant_id
        WHERE c.code_hash = ${Secret.hash(Redacted.value(code))} AND g.client_id = ${clientId}`,
      ([row]) => row
    )

  return { insert, redeem, find }
})

/** Why a code is refused; undefined if everything matches, so the code was used before (contract decisions 42, 43). */
export const refusalOf = (row: CodeRow, presented: PresentedCode): InvalidGrant | InvalidRequest | undefined => {
  const challenge = challengeOf(presented.codeVerifier)
  if (row.redirectUri !== presented.redirectUri) {
    return ApiError.invalidGrant("The redirect_uri differs from the one of the authorization request.")
  }
  if (row.codeChallenge === null && challenge !== null) {
    return ApiError.invalidRequest("A code_verifier was sent, but the authorization request had no code_challenge.")
  }
  if (row.codeChallenge !== challenge) {
    return ApiError.invalidGrant("The code_verifier does not match the code_challenge of the authorization request.")
  }
  return row.usedAt === null ? ApiError.invalidGrant("The authorization code has expired.") : undefined
}

/** The S256 challenge of a verifier (RFC 7636 4.2). */
const challengeOf = (verifier: Redacted.Redacted | undefined): string | null =>
  verifier === undefined ? null : Crypto.createHash("sha256").update(Redacted.value(verifier)).digest("base64url")
