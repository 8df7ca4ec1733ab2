import { randomBytes } from "node:crypto"
import { Refusal } from "../http/Refusal.ts"
import { keepNewest } from "../KeepNewest.ts"
import type { Person } from "../person/Person.ts"
import type { Readings } from "../Readings.ts"
import type { Scope } from "./Scope.ts"

/** What a person granted. */
export interface Grant {
  readonly person: Person
  readonly scopes: ReadonlyArray<Scope>
}

/** The token endpoint's answer (2.1). */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly expires_in: number
  readonly refresh_token?: string
  readonly scope: string
  readonly open_id: string
}

/** The authorization codes, access tokens and refresh tokens (2.1, 5). */
export class Grants {
  readonly #readings: () => Readings
  readonly #codes = new Map<string, { grant: Grant; redirectUri: string; expiresAt: number }>()
  readonly #access = new Map<string, { grant: Grant; expiresAt: number }>()
  readonly #refresh = new Map<string, Grant>()

  constructor(readings: () => Readings) {
    this.#readings = readings
  }

  issueCode(grant: Grant, redirectUri: string): string {
    const code = randomBytes(18).toString("base64url")
    this.#codes.set(code, { grant, redirectUri, expiresAt: Date.now() + this.#readings().codeLifetimeMs })
    keepNewest(this.#codes)
    return code
  }

  /** A code is used up even when the exchange fails, because it may be stolen. */
  exchange(code: string, redirectUri: string): TokenResponse {
    const issued = this.#codes.get(code)
    this.#codes.delete(code)
    if (issued === undefined || issued.expiresAt <= Date.now())
      throw invalidGrant("the code is unknown, used or expired")
    if (issued.redirectUri !== redirectUri) throw invalidGrant("redirect_uri differs from that of the authorization")
    return this.issue({ ...issued.grant })
  }

  refresh(refreshToken: string): TokenResponse {
    const grant = this.#refresh.get(refreshToken)
    if (grant === undefined) throw invalidGrant("the refresh token is unknown or used")
    const { refresh, refreshEndsAccess } = this.#readings()
    if (refreshEndsAccess) this.#endAccess((other) => other === grant)
    if (refresh === "keeps") return this.#answer(grant)
    this.#refresh.delete(refreshToken)
    return this.issue(grant)
  }

  /** A token response with a new refresh token. */
  issue(grant: Grant): TokenResponse {
    const refreshToken = randomBytes(24).toString("base64url")
    this.#refresh.set(refreshToken, grant)
    keepNewest(this.#refresh)
    return { ...this.#answer(grant), refresh_token: refreshToken }
  }

  authenticate(accessToken: string): Grant | undefined {
    const access = this.#access.get(accessToken)
    return access !== undefined && access.expiresAt > Date.now() ? access.grant : undefined
  }

  /** Ends every access token, and the refresh tokens too when a person withdraws the consent. */
  revoke(what: "access" | "all"): void {
    this.#endAccess(() => true)
    if (what === "all") this.#refresh.clear()
  }

  #answer(grant: Grant): TokenResponse {
    const { accessTokenLifetimeMs } = this.#readings()
    const accessToken = randomBytes(24).toString("base64url")
    this.#access.set(accessToken, { grant, expiresAt: Date.now() + accessTokenLifetimeMs })
    keepNewest(this.#access)
    return {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: Math.floor(accessTokenLifetimeMs / 1000),
      scope: grant.scopes.join(" "),
      open_id: grant.person.openId
    }
  }

  #endAccess(ends: (grant: Grant) => boolean): void {
    for (const [token, { grant }] of this.#access) if (ends(grant)) this.#access.delete(token)
  }
}

const invalidGrant = (description: string): Refusal => Refusal.api(400, "invalid_grant", description)
