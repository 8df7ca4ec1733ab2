import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"
import { Credits } from "../credits/Credits.ts"
import * as Password from "./Password.ts"
import * as Secret from "../internal/Secret.ts"
import * as VersionedCache from "../sql/VersionedCache.ts"
import * as PhoneNumber from "./PhoneNumber.ts"
import { DataVersion } from "../sql/DataVersion.ts"

/** The account was not created: `message` says what to correct. */
export class InvalidAccount extends Schema.TaggedError<InvalidAccount>()("InvalidAccount", {
  message: Schema.String
}) {}

/** A user of the service. `avatar` is a URL, or empty. */
export interface Account {
  readonly userId: string
  readonly nickname: string
  readonly avatar: string
}

/**
 * A new account. Without a password it has no sign-in; `phone` is as a person writes it (contract 4.4).
 */
export interface NewAccount {
  readonly name: string
  readonly password?: Redacted.Redacted
  readonly phone?: string
  readonly credits?: number
  /** False for an organisation, which has no personal credits to show (contract decision 58). */
  readonly personal?: boolean
}

/** The accounts of users, and their sign-in data. */
export class Accounts extends Context.Tag("@heddle/server/accounts/Accounts")<
  Accounts,
  {
    /** Creates an account; names are unique, ignoring case. */
    readonly create: (account: NewAccount) => Effect.Effect<Account, InvalidAccount>
    /** Finds the account with this name and sets its password, or creates it with these credits. */
    readonly ensure: (account: NewAccount) => Effect.Effect<Account, InvalidAccount>
    readonly get: (userId: string) => Effect.Effect<Option.Option<Account>>
    /** Whether the account is a person's. */
    readonly isPersonal: (userId: string) => Effect.Effect<boolean>
    /** Whether this E.164 number is the user's bound one; takes the same time in every case. */
    readonly hasPhone: (userId: string, number: Redacted.Redacted) => Effect.Effect<boolean>
    /** The account with this name and password; takes the same time if either is wrong. */
    readonly verify: (name: string, password: Redacted.Redacted) => Effect.Effect<Option.Option<Account>>
    /** The id of the account with this sign-in name. */
    readonly idOf: (name: string) => Effect.Effect<Option.Option<string>>
  }
>() {}

export const layer: Layer.Layer<Accounts, never, SqlClient.SqlClient | Credits> = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const credits = yield* Credits
    const cost = yield* Password.Cost
    const columns = sql`user_id AS "userId", nickname, avatar`

    const create = Effect.fnUntraced(function* (account: NewAccount) {
      const { name, phone, initialCredits } = yield* validate(account)
      const passwordHash = account.password === undefined ? null : yield* Password.hash(account.password, cost)
      const userId = `user_${Crypto.randomBytes(12).toString("hex")}`
      const now = yield* Clock.currentTimeMillis
      const created =
        yield* sql<Account>`INSERT INTO accounts (user_id, login, nickname, avatar, phone, password_hash, personal, created_at)
        VALUES (${userId}, ${loginOf(name)}, ${name}, '', ${phone ?? null}, ${passwordHash},
          ${account.personal === false ? 0 : 1}, ${now})
        ON CONFLICT (login) DO NOTHING RETURNING ${columns}`.pipe(
          Effect.tap((rows) =>
            rows.length > 0 && initialCredits > 0
              ? credits.addPack({ userId, size: initialCredits, source: "initial" })
              : Effect.void
          ),
          sql.withTransaction,
          Effect.orDie
        )
      return created[0] ?? (yield* new InvalidAccount({ message: `There is already an account named ${name}.` }))
    })

    const cachedAccount = VersionedCache.make(yield* DataVersion, 10_000, (userId) =>
      sql<Account>`SELECT ${columns} FROM accounts WHERE user_id = ${userId}`.pipe(
        Effect.map((rows) => rows[0]),
        Effect.orDie
      )
    )

    return {
      create: Effect.fn("Accounts.create")(create),

      ensure: Effect.fn("Accounts.ensure")(function* (account) {
        const { name } = yield* validate(account)
        const existing = yield* sql<Account>`SELECT ${columns} FROM accounts WHERE login = ${loginOf(name)}`.pipe(
          Effect.orDie
        )
        if (existing[0] === undefined) return yield* create(account)
        if (account.password !== undefined) {
          const passwordHash = yield* Password.hash(account.password, cost)
          yield* sql`UPDATE accounts SET password_hash = ${passwordHash} WHERE login = ${loginOf(name)}`.pipe(
            Effect.orDie
          )
        }
        return existing[0]
      }),

      get: (userId) => Effect.map(cachedAccount(userId), Option.fromNullable),

      isPersonal: Effect.fn("Accounts.isPersonal")((userId) =>
        sql`SELECT 1 FROM accounts WHERE user_id = ${userId} AND personal = 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        )
      ),

      hasPhone: Effect.fn("Accounts.hasPhone")(function* (userId, number) {
        const rows = yield* sql<{ phone: string | null }>`SELECT phone FROM accounts WHERE user_id = ${userId}`.pipe(
          Effect.orDie
        )
        return Secret.equal(rows[0]?.phone ?? "none", Redacted.value(number))
      }),

      verify: Effect.fn("Accounts.verify")(function* (name, password) {
        const rows = yield* sql<Account & { readonly passwordHash: string | null }>`
          SELECT ${columns}, password_hash AS "passwordHash" FROM accounts WHERE login = ${loginOf(name)}`.pipe(
          Effect.orDie
        )
        const isCorrect = yield* Password.verify(password, rows[0]?.passwordHash ?? undefined, cost)
        return isCorrect && rows[0] !== undefined
          ? Option.some({ userId: rows[0].userId, nickname: rows[0].nickname, avatar: rows[0].avatar })
          : Option.none()
      }),

      idOf: Effect.fn("Accounts.idOf")(function* (name) {
        const rows = yield* sql<{ userId: string }>`SELECT user_id AS "userId" FROM accounts
          WHERE login = ${loginOf(name)}`.pipe(Effect.orDie)
        return Option.fromNullable(rows[0]?.userId)
      })
    }
  })
)

const loginOf = (name: string): string => name.trim().normalize("NFKC").toLowerCase()

const validate = (
  account: NewAccount
): Effect.Effect<{ name: string; phone: string | undefined; initialCredits: number }, InvalidAccount> => {
  const name = account.name.trim()
  const phone = account.phone === undefined ? undefined : PhoneNumber.normalise(account.phone)
  const initialCredits = account.credits ?? 0
  if (name === "" || [...name].length > 64) {
    return Effect.fail(new InvalidAccount({ message: "The name must have 1 to 64 characters." }))
  }
  if (account.phone !== undefined && phone === undefined) {
    return Effect.fail(
      new InvalidAccount({
        message: "The phone number is no mobile number. Write it with its country code, like +852 9123 4567."
      })
    )
  }
  if (!Number.isSafeInteger(initialCredits) || initialCredits < 0) {
    return Effect.fail(new InvalidAccount({ message: "The credits must be a whole number from 0." }))
  }
  return Effect.succeed({ name, phone, initialCredits })
}
