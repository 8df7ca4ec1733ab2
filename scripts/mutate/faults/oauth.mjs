const server = (path) => `packages/server/src/${path}`
const test = (path) => `packages/server/test/${path}`
const grants = [test("oauth/Grants.test.ts"), test("oauth/Lifetimes.test.ts")]
const steps = test("Transactions.test.ts")

export const places = [
  {
    file: server("oauth/Grants.ts"),
    tests: [steps, ...grants],
    faults: [
      {
        name: "a code and its grant are not one transaction",
        find: "          return code\n        },\n        sql.withTransaction,",
        replace: "          return code\n        },"
      },
      {
        name: "the exchange of a code is not one transaction",
        find: "yield* issue(services, grant)\n      }).pipe(sql.withTransaction, Effect.orDie)",
        replace: "yield* issue(services, grant)\n      }).pipe(Effect.orDie)"
      },
      {
        name: "tokens that administration issues are not one transaction",
        find: "Effect.flatMap((grant) => issue(services, grant)),\n          sql.withTransaction,",
        replace: "Effect.flatMap((grant) => issue(services, grant)),"
      },
      {
        name: "a rotation is not one transaction",
        find: "refreshTokens.use(stored, access, requested).pipe(sql.withTransaction, Effect.orDie)",
        replace: "refreshTokens.use(stored, access, requested).pipe(Effect.orDie)"
      },
      {
        name: "the revocation of a grant and its event are not one transaction",
        find: "  }).pipe(sql.withTransaction)\n\n/** Records a refused",
        replace: "  })\n\n/** Records a refused"
      },
      {
        name: "a code that is used twice revokes nothing",
        find: 'yield* Effect.orDie(revokeGrant(services, row.grantId, "reuse_detected"))',
        replace: ""
      },
      {
        name: "a refresh token that is used twice revokes nothing",
        find: 'yield* Effect.orDie(revokeGrant(services, grant.grantId, "reuse_detected"))',
        replace: ""
      },
      {
        name: "a refresh gives scopes that were not granted",
        find: "[...requested].some((name) => !granted.has(name)) || requested.size === 0",
        replace: "requested.size === 0"
      },
      {
        name: "an access token is valid a millisecond too long",
        find: "stored.expiresAt <= clock.unsafeCurrentTimeMillis()",
        replace: "stored.expiresAt < clock.unsafeCurrentTimeMillis()"
      },
      {
        name: "tokens of a disabled application work",
        find: "return stored.active\n",
        replace: "return true\n"
      },
      {
        name: "older grants stay where only one may live",
        find: "if (config.contract.singleGrant) yield* grants.revokeOthers(grant)",
        replace: ""
      },
      {
        name: "a refresh lives as long as the first token",
        find: "config.accessTokenTtl.refresh",
        replace: "config.accessTokenTtl.code"
      },
      {
        name: "a repeated rotation is recorded as a new one",
        find: "if (result.isReplay) yield* audit.record",
        replace: "if (!result.isReplay) yield* audit.record"
      }
    ]
  },
  {
    file: server("oauth/GrantRows.ts"),
    tests: grants,
    faults: [
      {
        name: "one grant ends those of the user to other applications",
        find: "WHERE client_id = ${grant.clientId} AND user_id = ${grant.userId} AND grant_id",
        replace: "WHERE user_id = ${grant.userId} AND grant_id"
      },
      {
        name: "one grant ends those of other users",
        find: "WHERE client_id = ${grant.clientId} AND user_id = ${grant.userId} AND grant_id",
        replace: "WHERE client_id = ${grant.clientId} AND grant_id"
      },
      {
        name: "one grant ends a newer sign-in",
        find: "AND revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM authorization_codes c\n          WHERE c.grant_id = grants.grant_id AND c.used_at IS NULL)",
        replace: "AND revoked_at IS NULL"
      }
    ]
  },
  {
    file: server("oauth/RefreshTokens.ts"),
    tests: grants,
    faults: [
      {
        name: "every rotation starts the absolute lifetime again",
        find: "yield* insert(stored.grant.grantId, stored.absoluteExpiresAt)",
        replace: "yield* insert(stored.grant.grantId)"
      },
      {
        name: "a rotated token outlives the absolute lifetime",
        find: "${Math.min(now + idleMs, absoluteExpiresAt)}, ${absoluteExpiresAt})",
        replace: "${now + idleMs}, ${absoluteExpiresAt})"
      },
      {
        name: "a kept token outlives the absolute lifetime",
        find: "SET expires_at = ${Math.min(now + idleMs, absoluteExpiresAt)}",
        replace: "SET expires_at = ${now + idleMs}"
      },
      {
        name: "the use of a token does not extend its life",
        find: "SET expires_at = ${Math.min(now + idleMs, absoluteExpiresAt)}",
        replace: "SET expires_at = expires_at"
      },
      {
        name: "a refresh token is valid a millisecond too long",
        find: "AND r.expires_at > ${now}\n          AND g.client_id",
        replace: "AND r.expires_at >= ${now}\n          AND g.client_id"
      },
      {
        name: "an expired refresh token works",
        find: "AND r.expires_at > ${now}\n          AND g.client_id",
        replace: "AND g.client_id"
      },
      {
        name: "a refresh token works for another application",
        find: "AND g.client_id = ${clientId} AND g.revoked_at IS NULL`\n      if",
        replace: "AND ${clientId} = ${clientId} AND g.revoked_at IS NULL`\n      if"
      },
      {
        name: "the refresh token of a revoked grant works",
        find: "AND g.client_id = ${clientId} AND g.revoked_at IS NULL`\n      if",
        replace: "AND g.client_id = ${clientId}`\n      if"
      },
      {
        name: "a rotated token is claimed twice",
        find: "SET used_at = ${now}\n        WHERE token_hash = ${hashOf(token)} AND used_at IS NULL RETURNING",
        replace: "SET used_at = ${now}\n        WHERE token_hash = ${hashOf(token)} RETURNING"
      },
      {
        name: "a rotated token is repeated for good",
        find: " || now - usedAt > replayWindowMs",
        replace: ""
      },
      {
        name: "a rotated token is repeated a millisecond too short",
        find: "now - usedAt > replayWindowMs",
        replace: "now - usedAt >= replayWindowMs"
      },
      {
        name: "a repeat gets the scope of the first answer",
        find: "if (isSameScope(first.scope, scope)) return",
        replace: "if (first !== undefined) return"
      },
      {
        name: "a token that was rotated before is kept when rotation is off",
        find: "WHERE token_hash = ${hashOf(token)} AND used_at IS NULL RETURNING grant_id`\n      return kept",
        replace: "WHERE token_hash = ${hashOf(token)} RETURNING grant_id`\n      return kept"
      },
      {
        name: "public applications keep their refresh token",
        find: 'refreshTokenOnRefresh === "rotate" || stored.publicClient === 1',
        replace: 'refreshTokenOnRefresh === "rotate"'
      }
    ]
  },
  {
    file: server("oauth/AuthorizationCodes.ts"),
    tests: [...grants, test("oauth/ConnectedApps.test.ts"), test("authorization/Grants.property.test.ts")],
    faults: [
      {
        name: "a code is redeemed twice",
        find: "AND used_at IS NULL AND expires_at > ${now}",
        replace: "AND expires_at > ${now}"
      },
      {
        name: "an expired code is redeemed",
        find: "AND used_at IS NULL AND expires_at > ${now}",
        replace: "AND used_at IS NULL"
      },
      {
        name: "a code is valid a millisecond too long",
        find: "AND used_at IS NULL AND expires_at > ${now}",
        replace: "AND used_at IS NULL AND expires_at >= ${now}"
      },
      {
        name: "the redirect URI of a code does not matter",
        find: "AND redirect_uri = ${redirectUri} AND",
        replace: "AND"
      },
      {
        name: "the verifier of a code does not matter",
        find: " AND COALESCE(code_challenge, '') = ${challengeOf(codeVerifier) ?? \"\"}",
        replace: ' AND ${challengeOf(codeVerifier) ?? ""} IS NOT NULL'
      },
      {
        name: "the code of a revoked grant is redeemed",
        find: "WHERE client_id = ${clientId} AND revoked_at IS NULL)",
        replace: "WHERE client_id = ${clientId})"
      },
      {
        name: "a code is redeemed by another application",
        find: "WHERE client_id = ${clientId} AND revoked_at IS NULL)",
        replace: "WHERE ${clientId} = ${clientId} AND revoked_at IS NULL)"
      },
      {
        name: "another application's wrong try ends a grant",
        find: "AND g.client_id = ${clientId}`",
        replace: "AND ${clientId} = ${clientId}`"
      }
    ]
  },
  {
    file: server("oauth/AccessTokens.ts"),
    tests: grants,
    faults: [{ name: "access tokens of a revoked grant work", find: " AND g.revoked_at IS NULL`", replace: "`" }]
  },
  {
    file: server("oauth/IssuedTokens.ts"),
    tests: [...grants, test("authorization/Grants.property.test.ts")],
    faults: [
      {
        name: "an application revokes refresh tokens of others",
        find: "WHERE r.token_hash = ${hash} AND g.client_id = ${clientId}",
        replace: "WHERE r.token_hash = ${hash} AND ${clientId} = ${clientId}"
      },
      {
        name: "an application revokes access tokens of others",
        find: "WHERE t.token_hash = ${hash} AND g.client_id = ${clientId}",
        replace: "WHERE t.token_hash = ${hash} AND ${clientId} = ${clientId}"
      },
      {
        name: "a rotated refresh token is called active",
        find: "WHEN r.used_at IS NULL AND r.expires_at",
        replace: "WHEN r.expires_at"
      },
      {
        name: "an expired access token is called active",
        find: "WHEN t.expires_at > ${now} AND g.revoked_at IS NULL",
        replace: "WHEN g.revoked_at IS NULL"
      },
      {
        name: "an access token is called active a millisecond too long",
        find: "WHEN t.expires_at > ${now} AND",
        replace: "WHEN t.expires_at >= ${now} AND"
      }
    ]
  },
  {
    file: server("oauth/Consents.ts"),
    tests: [test("oauth/Consents.test.ts")],
    faults: [
      {
        name: "a consent is kept a millisecond too long",
        find: "AND expires_at > ${now}",
        replace: "AND expires_at >= ${now}"
      },
      {
        name: "a consent counts for any scopes",
        find: "AND scope = ${encodeScopes(scopes)} AND",
        replace: "AND ${encodeScopes(scopes)} <> '' AND"
      },
      {
        name: "a consent of one user counts for all",
        find: "WHERE user_id = ${userId} AND client_id",
        replace: "WHERE ${userId} <> '' AND client_id"
      },
      {
        name: "a second consent does not last longer",
        find: "DO UPDATE SET expires_at = excluded.expires_at",
        replace: "DO NOTHING"
      }
    ]
  },
  {
    file: server("oauth/ConnectedApps.ts"),
    tests: [test("oauth/ConnectedApps.test.ts"), steps],
    faults: [
      {
        name: "a disconnection is not one transaction",
        find: "        },\n        sql.withTransaction,\n        Effect.orDie\n      )",
        replace: "        },\n        Effect.orDie\n      )"
      },
      {
        name: "a disconnection ends the user's grants to all applications",
        find: "sql`user_id = ${userId} AND client_id = ${clientId}`",
        replace: "sql`user_id = ${userId} AND ${clientId} <> ''`"
      },
      {
        name: "a disconnection ends the application's grants of all users",
        find: "sql`user_id = ${userId} AND client_id = ${clientId}`",
        replace: "sql`client_id = ${clientId} AND ${userId} <> ''`"
      },
      {
        name: "a code counts as a connection after its end",
        find: "WHERE c.grant_id = g.grant_id AND c.expires_at > ${now} AND c.used_at IS NULL)",
        replace: "WHERE c.grant_id = g.grant_id AND c.used_at IS NULL)"
      },
      { name: "the youngest grant counts as the first use", find: "    Math.min,\n", replace: "    Math.max,\n" },
      {
        name: "the use by another user counts",
        find: "WHERE e.user_id = ${userId} AND e.client_id",
        replace: "WHERE ${userId} <> '' AND e.client_id"
      }
    ]
  },
  {
    file: server("oauth/DeviceCodes.ts"),
    tests: [test("oauth/DeviceCodes.test.ts"), steps],
    faults: [
      {
        name: "a device gets its tokens twice",
        find: "AND decision = 'allowed' AND used_at IS NULL AND",
        replace: "AND decision = 'allowed' AND"
      },
      {
        name: "a device gets tokens after its code has expired",
        find: "AND decision = 'allowed' AND used_at IS NULL AND expires_at > ${now}",
        replace: "AND decision = 'allowed' AND used_at IS NULL"
      },
      {
        name: "a device that was denied gets tokens",
        find: "AND decision = 'allowed' AND used_at",
        replace: "AND decision IS NOT NULL AND used_at"
      },
      {
        name: "a second decision replaces the first",
        find: "AND expires_at > ${now} AND decision IS NULL RETURNING client_id",
        replace: "AND expires_at > ${now} RETURNING client_id"
      },
      {
        name: "a user code is accepted at its end",
        find: "AND expires_at > ${now} AND decision IS NULL RETURNING client_id",
        replace: "AND decision IS NULL RETURNING client_id"
      },
      {
        name: "another application polls with a device code",
        find: "AND client_id = ${clientId}`",
        replace: "AND ${clientId} <> ''`"
      },
      {
        name: "a device that polls too early is not slowed down",
        find: "interval_seconds = interval_seconds + 5 * ${isTooEarly}",
        replace: "interval_seconds = interval_seconds"
      },
      {
        name: "a poll at the end of the interval is too early",
        find: "< interval_seconds * 1000 - 500",
        replace: "<= interval_seconds * 1000"
      }
    ]
  }
]
