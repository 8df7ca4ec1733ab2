import type { TokenSet } from "../TokenSet.ts"
import type { StoredGrant } from "./StoredGrant.ts"

/** A grant that has tokens, and the state of refreshes of this version. */
export interface ActiveGrant extends Pick<StoredGrant, "id" | "version" | "refresh" | "leaseNumber"> {
  readonly tokens: TokenSet
}

/** What this process knows of grants beside the store. */
export interface GrantCache {
  /** Tokens of new authorizations that the store has not taken yet: they replace whatever is stored. */
  readonly unsavedNew: Map<string, ActiveGrant>
  /** Renewed tokens that the store has not taken yet, with the version that they replace. */
  readonly unsavedRenewed: Map<string, ActiveGrant>
  /** Each grant as it was last read, the least recently used one first; used while the store is down. */
  readonly lastRead: Map<string, ActiveGrant>
}

export const makeCache = (): GrantCache => ({
  unsavedNew: new Map(),
  unsavedRenewed: new Map(),
  lastRead: new Map()
})

/** Removes everything that is known of a grant. */
export const forget = (cache: GrantCache, id: string): void => {
  for (const grants of [cache.unsavedNew, cache.unsavedRenewed, cache.lastRead]) grants.delete(id)
}

/** Remembers a grant as it was read, with the newer tokens where they are not stored yet. */
export const noteRead = (cache: GrantCache, read: ActiveGrant): ActiveGrant => {
  const newer = cache.unsavedRenewed.get(read.id)
  const grant = newer?.version === read.version ? { ...read, tokens: newer.tokens } : read
  cache.lastRead.delete(grant.id)
  cache.lastRead.set(grant.id, grant)
  if (cache.lastRead.size > maxCachedGrants) {
    const [oldest] = cache.lastRead.keys()
    if (oldest !== undefined) cache.lastRead.delete(oldest)
  }
  return grant
}

/** The cached grant, while its access token is valid. For use while the store is unavailable. */
export const cachedGrant = (cache: GrantCache, id: string, now: number): ActiveGrant | undefined => {
  const grant = cache.unsavedRenewed.get(id) ?? cache.lastRead.get(id)
  return grant === undefined || grant.tokens.ageAt(now) === "expired" ? undefined : grant
}

const maxCachedGrants = 10_000
