import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TokenSet } from "../TokenSet.ts"
import type { Lease, StoredGrant } from "./StoredGrant.ts"

interface Row extends StoredGrant {
  readonly leaseOwner: string | undefined
}

/** Grants that end with the process. */
export const make = () => {
  const rows = new Map<string, Row>()

  /** Changes a living row if it is still of this version. */
  const change = (id: string, version: number, to: (row: Row) => Row | undefined) =>
    Effect.sync(() => {
      const row = rows.get(id)
      const next = row === undefined || row.version !== version || Option.isSome(row.dead) ? undefined : to(row)
      if (next !== undefined) rows.set(id, next)
      return next !== undefined
    })

  return {
    get: (id: string) => Effect.sync(() => Option.fromNullable(rows.get(id))),
    put: (id: string, tokens: TokenSet) =>
      Effect.sync(() => rows.set(id, live(id, (rows.get(id)?.version ?? 0) + 1, tokens))),
    lease: (id: string, version: number, { abandoned, owner }: Lease) =>
      change(id, version, (row) =>
        row.leaseOwner === undefined || row.leaseOwner === owner || row.leaseNumber === abandoned
          ? { ...row, refresh: "leased", leaseOwner: owner, leaseNumber: row.leaseNumber + 1 }
          : undefined
      ),
    release: (id: string, owner: string, settled: boolean) =>
      Effect.sync(() => {
        const row = rows.get(id)
        if (row?.leaseOwner !== owner) return
        rows.set(id, { ...row, refresh: settled ? "none" : "lost", leaseOwner: undefined })
      }),
    replace: (id: string, version: number, tokens: TokenSet) =>
      change(id, version, () => live(id, version + 1, tokens)),
    kill: (id: string, version: number, reason: string) =>
      change(id, version, (row) => ({
        ...row,
        version: version + 1,
        tokens: Option.none(),
        dead: Option.some(reason),
        refresh: "none",
        leaseOwner: undefined,
        leaseNumber: 0
      })),
    move: (id: string, to: string) =>
      Effect.sync(() => {
        const tokens = Option.getOrUndefined(rows.get(id)?.tokens ?? Option.none())
        if (tokens === undefined) return false
        rows.set(to, live(to, (rows.get(to)?.version ?? 0) + 1, tokens))
        rows.delete(id)
        return true
      }),
    remove: (id: string) => Effect.sync(() => rows.delete(id))
  }
}

const live = (id: string, version: number, tokens: TokenSet): Row => ({
  id,
  version,
  tokens: Option.some(tokens),
  dead: Option.none(),
  scopes: tokens.scopes,
  openId: tokens.openId,
  refresh: "none",
  leaseOwner: undefined,
  leaseNumber: 0
})
