import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import { Applications } from "@heddle/server/oauth/Applications"
import { Grants } from "@heddle/server/oauth/Grants"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Crypto from "node:crypto"
import { withRules } from "../support/Rules.ts"
import { redirectUri } from "../support/TestServer.ts"

/** The answer as it is written, with its tokens, which are compared: chai sees into no Redacted. */
const plain = Schema.encodeSync(TokenResponse)

type Mode = "omit" | "same" | "rotate"

/** One step; numbers pick a client, or a code or token among those there are. */
type Step =
  | { readonly do: "authorize"; readonly client: number; readonly pkce: boolean }
  | {
      readonly do: "exchange"
      readonly code: number
      readonly copies: number
      readonly fault: "none" | "client" | "redirect" | "verifier"
    }
  | { readonly do: "refresh"; readonly token: number; readonly copies: number; readonly fault: "none" | "client" }
  | {
      readonly do: "revoke"
      readonly token: number
      readonly kind: "access" | "refresh"
      readonly fault: "none" | "client"
    }
  | { readonly do: "wait"; readonly seconds: number }

const pick = <const A extends string>(...values: ReadonlyArray<A>) => FastCheck.constantFrom(...values)

const step: FastCheck.Arbitrary<Step> = FastCheck.oneof(
  {
    weight: 4,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("authorize" as const),
      client: FastCheck.nat(2),
      pkce: FastCheck.boolean()
    })
  },
  {
    weight: 7,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("exchange" as const),
      code: FastCheck.nat(),
      copies: FastCheck.constantFrom(1, 1, 1, 1, 1, 1, 2, 3),
      fault: pick("none", "none", "none", "none", "client", "redirect", "verifier")
    })
  },
  {
    weight: 7,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("refresh" as const),
      token: FastCheck.nat(),
      copies: FastCheck.constantFrom(1, 1, 1, 2, 3),
      fault: pick("none", "none", "none", "client")
    })
  },
  {
    weight: 4,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("revoke" as const),
      token: FastCheck.nat(),
      kind: pick("access", "refresh"),
      fault: pick("none", "client")
    })
  },
  {
    weight: 3,
    arbitrary: FastCheck.record({
      do: FastCheck.constant("wait" as const),
      seconds: FastCheck.constantFrom(1, 30, 59, 61, 300, 601, 3601, 86_400, 604_801)
    })
  }
)

/** What should be so: everything that was ever given out, and when it ends. */
interface Family {
  readonly client: number
  readonly code: Redacted.Redacted
  readonly codeEnds: number
  readonly verifier: Redacted.Redacted | undefined
  exchanged: boolean
  live: boolean
}
interface Access {
  readonly family: Family
  readonly token: Redacted.Redacted
  readonly ends: number
  taken: boolean
}
interface Refresh {
  readonly family: Family
  readonly token: Redacted.Redacted
  ends: number
  used: { readonly at: number; readonly answer: TokenResponse } | undefined
}

const day = 86_400_000

/** The same call several times at once. */
const together = <A, E, R>(copies: number, call: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: copies }, () => Effect.either(call)),
    { concurrency: "unbounded" }
  )

/** Runs steps against the rules and against the model, and compares them at every answer and at the end. */
const run = (mode: Mode, clients: ReadonlyArray<string>, userId: string, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const grants = yield* Grants
    const families: Array<Family> = []
    const accesses: Array<Access> = []
    const refreshes: Array<Refresh> = []
    const clientId = (index: number) => clients[index % clients.length] ?? ""
    const otherIf = (fault: string, client: number) => clientId(fault === "client" ? client + 1 : client)

    const check = Effect.gen(function* () {
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      for (const access of accesses) {
        const should = access.family.live && !access.taken && access.ends > now
        const is = yield* Effect.isSuccess(grants.verify(access.token))
        assert.strictEqual(is, should, "an access token lives exactly as long as it should")
      }
      for (const refresh of refreshes) {
        const { active } = yield* grants.introspect({ clientId: clientId(refresh.family.client), token: refresh.token })
        const should = refresh.family.live && refresh.used === undefined && refresh.ends > now
        assert.strictEqual(active, should, "a refresh token lives exactly as long as it should")
      }
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ n: number }>`SELECT COUNT(*) AS n FROM grants g WHERE g.user_id = ${userId}
        AND g.revoked_at IS NULL AND EXISTS (SELECT 1 FROM authorization_codes c
          WHERE c.grant_id = g.grant_id AND c.used_at IS NOT NULL)`
      assert.strictEqual(
        rows[0]?.n,
        families.filter(({ exchanged, live }) => exchanged && live).length,
        "one live family per code that was exchanged"
      )
    })

    for (const each of steps) {
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      switch (each.do) {
        case "authorize": {
          const client = clientId(each.client)
          const scopes = new Set(["user.task.readable", "user.credit.readable"])
          const verifier = each.pkce ? `verifier-${families.length}-`.padEnd(43, "v") : undefined
          const code = yield* grants.authorize({
            clientId: client,
            userId,
            scopes,
            redirectUri,
            codeChallenge:
              verifier === undefined ? undefined : Crypto.createHash("sha256").update(verifier).digest("base64url")
          })
          families.push({
            client: each.client,
            code,
            codeEnds: now + 600_000,
            verifier: verifier === undefined ? undefined : Redacted.make(verifier),
            exchanged: false,
            live: true
          })
          break
        }
        case "exchange": {
          const family = families[each.code % families.length]
          if (family === undefined) break
          const answers = yield* together(
            each.copies,
            grants.exchange({
              clientId: otherIf(each.fault, family.client),
              code: family.code,
              redirectUri: each.fault === "redirect" ? `${redirectUri}/` : redirectUri,
              codeVerifier: each.fault === "verifier" ? Redacted.make("x".repeat(43)) : family.verifier
            })
          )
          const right = each.fault === "none"
          const wins = right && !family.exchanged && family.live && family.codeEnds > now
          const won = answers.filter(Either.isRight)
          assert.lengthOf(won, wins ? 1 : 0, "a code is exchanged once, in time, by the right one")
          if (right && (family.exchanged || (wins && each.copies > 1))) family.live = false
          for (const { right: tokens } of won) {
            family.exchanged = true
            accesses.push({ family, token: tokens.accessToken, ends: now + 604_800_000, taken: false })
            const token = tokens.refreshToken ?? Redacted.make("")
            refreshes.push({ family, token, ends: now + 90 * day, used: undefined })
          }
          break
        }
        case "refresh": {
          const refresh = refreshes[each.token % refreshes.length]
          if (refresh === undefined) break
          const { family } = refresh
          const client = otherIf(each.fault, family.client)
          const answers = yield* together(
            each.copies,
            grants.refresh({ clientId: client, refreshToken: refresh.token, scope: undefined })
          )
          const known = each.fault === "none" && family.live && refresh.ends > now
          const replay = known && refresh.used !== undefined && now - refresh.used.at <= 60_000
          const fresh = known && refresh.used === undefined
          if (known && !fresh && !replay) family.live = false
          for (const answer of answers) {
            assert.strictEqual(answer._tag, fresh || replay ? "Right" : "Left", "a refresh token gives what it should")
            if (answer._tag === "Left") continue
            if (refresh.used !== undefined) {
              assert.deepStrictEqual(plain(answer.right), plain(refresh.used.answer), "a replay is the same answer")
              continue
            }
            accesses.push({ family, token: answer.right.accessToken, ends: now + 3_600_000, taken: false })
            const next = answer.right.refreshToken
            if (mode === "omit") assert.isUndefined(next)
            if (mode === "same") assert.strictEqual(next && Redacted.value(next), Redacted.value(refresh.token))
            if (mode !== "rotate") refresh.ends = now + 90 * day
            else {
              refresh.used = { at: now, answer: answer.right }
              refreshes.push({ family, token: next ?? Redacted.make(""), ends: now + 90 * day, used: undefined })
            }
          }
          break
        }
        case "revoke": {
          const tokens: ReadonlyArray<Access | Refresh> = each.kind === "access" ? accesses : refreshes
          const picked = tokens[each.token % tokens.length]
          if (picked === undefined) break
          yield* grants.revoke({ clientId: otherIf(each.fault, picked.family.client), token: picked.token })
          if (each.fault === "client") break
          if ("taken" in picked) picked.taken = true
          else picked.family.live = false
          yield* check
          break
        }
        case "wait":
          yield* TestClock.adjust(`${each.seconds} seconds`)
      }
    }
    yield* check
    return { families: families.length, dead: families.filter(({ live }) => !live).length }
  })

/** How many histories each mode has: HEDDLE_ROUNDS=120 and more by hand. */
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 40)

describe("random sequences of authorize, exchange, refresh, revoke and replay", () => {
  for (const mode of ["omit", "same", "rotate"] as const) {
    it.scoped(
      `keeps one live family per code, and no token outlives its family: ${mode}`,
      () =>
        withRules({ contract: { refreshTokenOnRefresh: mode } }, (_, first) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            // What is tested is the order of events, not the disk.
            yield* sql`PRAGMA synchronous = OFF`
            const applications = yield* Applications
            const second = yield* applications.create({ name: "Second", redirectUris: [redirectUri] })
            const third = yield* applications.create({ name: "Third", redirectUris: [redirectUri] })
            const clients = [first, second.clientId, third.clientId]
            const seed = Number(process.env["HEDDLE_TEST_SEED"] ?? 20_261_121)
            const histories = FastCheck.sample(FastCheck.array(step, { minLength: 8, maxLength: 40, size: "max" }), {
              seed,
              numRuns: rounds
            })
            const seen = { families: 0, dead: 0 }
            for (const [index, steps] of histories.entries()) {
              const userId = `user ${index}`
              yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at)
                VALUES (${userId}, ${userId}, '', '', 0)`
              const { dead, families } = yield* run(mode, clients, userId, steps).pipe(
                Effect.catchAllDefect((defect) => {
                  const message = defect instanceof Error ? defect.message : String(defect)
                  return Effect.dieMessage(
                    `${message}\nHEDDLE_TEST_SEED=${seed}, history ${index}: ${JSON.stringify(steps)}`
                  )
                })
              )
              seen.families += families
              seen.dead += dead
            }
            // The histories reached what they are about.
            assert.isAbove(seen.families, 2 * rounds)
            assert.isAbove(seen.dead, rounds / 2)
          })
        ),
      60_000 + 500 * rounds
    )
  }
})
