export const places = [
  {
    file: "packages/server/src/credits/Credits.ts",
    tests: [
      "packages/server/test/credits/Credits.test.ts",
      "packages/server/test/credits/Steps.test.ts",
      "packages/server/test/Transactions.test.ts"
    ],
    faults: [
      {
        name: "a pack and its line of the ledger are not one transaction",
        find: "VALUES ('issued', ${pack.reference ?? packId}, 0, ${packId}, ${userId}, ${size}, ${now})`\n        }).pipe(sql.withTransaction)",
        replace: "VALUES ('issued', ${pack.reference ?? packId}, 0, ${packId}, ${userId}, ${size}, ${now})`\n        })"
      },
      {
        name: "spending from several packs is not one transaction",
        find: "return amount - unpaid\n        }).pipe(sql.withTransaction)",
        replace: "return amount - unpaid\n        })"
      },
      { name: "spending takes no lock of the user", find: "yield* UserLock.take(sql, userId)\n", replace: "\n" },
      {
        name: "a reference is charged as often as it comes",
        find: "if (earlier.length > 0) return 0",
        replace: ""
      },
      {
        name: "packs without an end are used before those that end",
        find: "ORDER BY p.expires_at IS NULL, p.expires_at,",
        replace: "ORDER BY p.expires_at IS NOT NULL, p.expires_at,"
      },
      {
        name: "of two packs that end, the later one is used first",
        find: "ORDER BY p.expires_at IS NULL, p.expires_at,",
        replace: "ORDER BY p.expires_at IS NULL, p.expires_at DESC,"
      },
      {
        name: "of two packs with one end, the younger one is used first",
        find: "p.expires_at, p.created_at, p.pack_id`",
        replace: "p.expires_at, p.created_at DESC, p.pack_id`"
      },
      {
        name: "a pack is valid a millisecond too long",
        find: "expiresAt === null || expiresAt > now)",
        replace: "expiresAt === null || expiresAt >= now)"
      },
      {
        name: "packs of all users count",
        find: "FROM credit_packs p WHERE p.user_id = ${userId}",
        replace: "FROM credit_packs p WHERE ${userId} = ${userId}"
      },
      {
        name: "what is used of one pack counts for all",
        find: "FROM credit_ledger l WHERE l.pack_id = p.pack_id AND l.kind = 'used'",
        replace: "FROM credit_ledger l WHERE l.kind = 'used'"
      },
      {
        name: "who has only packs that ended is not metered",
        find: "hasAny: rows.length > 0,",
        replace: "hasAny: rows.some(({ expiresAt }) => expiresAt === null || expiresAt > now),"
      },
      {
        name: "both lines of a turn have the same number",
        find: "line += 1",
        replace: "line += 0"
      }
    ]
  },
  {
    file: "packages/server/src/tasks/Metering.ts",
    tests: [
      "packages/server/test/credits/Credits.test.ts",
      "packages/server/test/credits/Steps.test.ts",
      "packages/server/test/Transactions.test.ts"
    ],
    faults: [
      {
        name: "a turn begins outside of a transaction",
        find: "          sql.withTransaction,\n          Effect.orDie",
        replace: "          Effect.orDie"
      },
      {
        name: "a turn begins although nothing can be stored",
        find: "yield* checkWrites\n",
        replace: "\n"
      },
      {
        name: "a turn reads before it writes",
        find: "            yield* checkWrites\n            const userId = yield* ownerOf(taskId)\n",
        replace: "            const userId = yield* ownerOf(taskId)\n            yield* checkWrites\n"
      },
      {
        name: "turns of all users reserve credits",
        find: ".filter((owner) => owner === userId)",
        replace: '.filter((owner) => owner !== "")'
      },
      {
        name: "a turn that is refused keeps its reservation",
        find: "if (Option.isNone(reason)) runningTurnOwners.set",
        replace: "runningTurnOwners.set"
      },
      {
        name: "the reservation of a turn is released before its charge",
        find: "if (counts) yield* charge(taskId, turnId)\n          runningTurnOwners.delete(turnId)",
        replace: "runningTurnOwners.delete(turnId)\n          if (counts) yield* charge(taskId, turnId)"
      },
      {
        name: "a reservation is never released",
        find: "runningTurnOwners.delete(turnId)",
        replace: ""
      },
      {
        name: "all turns of a task are charged as one",
        find: "amount: creditsPerTurn, reference: turnId",
        replace: "amount: creditsPerTurn, reference: taskId"
      },
      {
        name: "the last credits begin no turn",
        find: "remaining - reserved >= creditsPerTurn",
        replace: "remaining - reserved > creditsPerTurn"
      },
      {
        name: "who never had credits is charged once they get some meanwhile, and refused before",
        find: "if (remaining === undefined || remaining - reserved",
        replace: "if (remaining === undefined ? false : remaining - reserved"
      },
      {
        name: "a turn that does not count is charged",
        find: "if (counts) yield* charge",
        replace: "yield* charge"
      }
    ]
  },
  {
    file: "packages/server/src/redemptions/RedemptionRows.ts",
    tests: [
      "packages/server/test/redemptions/Redemptions.test.ts",
      "packages/server/test/redemptions/RedemptionSteps.test.ts"
    ],
    faults: [
      {
        name: "a code that one user redeemed is redeemed by them again",
        find: "          AND NOT EXISTS (${redemptionOf(code, userId)})\n",
        replace: "\n"
      },
      {
        name: "a code is redeemed more often than it has uses",
        find: "AND remaining > 0 AND",
        replace: "AND"
      },
      {
        name: "a code can be redeemed at its end",
        find: "expires_at > ${now})",
        replace: "expires_at >= ${now})"
      },
      {
        name: "a voucher is found by its secret alone",
        find: "sql`code_hash = ${codeHash} AND key_hash = ${keyHash}`",
        replace: "sql`code_hash = ${codeHash} AND ${keyHash} = ${keyHash}`"
      },
      {
        name: "a request id belongs to all users",
        find: "sql.and([sql`user_id = ${userId}`, sql`client_id",
        replace: "sql.and([sql`${userId} = ${userId}`, sql`client_id"
      },
      {
        name: "a request id belongs to all applications of a user",
        find: "sql`client_id = ${clientId}`, sql`request_hash",
        replace: "sql`${clientId} = ${clientId}`, sql`request_hash"
      },
      {
        name: "wrong codes of all users count for one",
        find: "WHERE user_id = ${userId} AND at > ${since}",
        replace: "WHERE at > ${since}"
      },
      {
        name: "the oldest refusals count instead of the newest",
        find: "ORDER BY at DESC LIMIT ${limit}",
        replace: "ORDER BY at LIMIT ${limit}"
      },
      {
        name: "codes that were used up do not count as guesses",
        find: "outcome IN ('invalid_grant', 'not_found')",
        replace: "outcome IN ('not_found')"
      },
      {
        name: "a request id is kept a millisecond too long",
        find: "WHERE at <= ${now - retentionMs}",
        replace: "WHERE at < ${now - retentionMs}"
      }
    ]
  },
  {
    file: "packages/server/src/redemptions/Redemptions.ts",
    tests: [
      "packages/server/test/redemptions/Redemptions.test.ts",
      "packages/server/test/redemptions/RedemptionSteps.test.ts"
    ],
    faults: [
      {
        name: "a redemption is not one transaction",
        find: '}).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))',
        replace: '}).pipe(Effect.catchTag("SqlError", Effect.die))'
      },
      {
        name: "the same request id redeems another code",
        find: "return stored.bodyHash === bodyHash\n",
        replace: 'return stored.bodyHash !== ""\n'
      },
      {
        name: "the first answer to a request id is not kept",
        find: "yield* rows.complete(key, result)\n",
        replace: "\n"
      },
      {
        name: "a sixth guess is allowed",
        find: "const oldest = refusals[maxRefusals - 1]",
        replace: "const oldest = refusals[maxRefusals]"
      }
    ]
  }
]
