import * as SqlClient from "@effect/sql/SqlClient"
import * as Scope from "@heddle/core/domain/Scope"
import type { InvalidClient } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Crypto from "node:crypto"
import * as RedirectUri from "./RedirectUri.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as Secret from "../internal/Secret.ts"
import { ServerConfig } from "../config/ServerConfig.ts"

/** The application was not registered or changed: `message` says what to correct. */
export class InvalidApplication extends Schema.TaggedError<InvalidApplication>()("InvalidApplication", {
  message: Schema.String
}) {}

/**
 * A registered application; `scopes` is its authorization list. A `public` one has no secret (contract decision 53).
 */
export interface Application {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly scopes: ReadonlySet<Scope.Scope>
  readonly active: boolean
  readonly public: boolean
}

/** What an application registers with. Without scopes its authorization list is every scope of the document. */
export interface Registration {
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly scopes?: ReadonlyArray<string>
  /** For an application that cannot keep a secret; only where the service allows such ones (`publicClients`). */
  readonly public?: boolean
}

/** An application's credentials; the secret is returned only here. That of a public application is empty. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** One answer for unknown, disabled and wrong: it must not tell which client ids exist. */
export const wrongCredentials = "The client_id or client_secret is wrong, or the application is not active."

/** The applications that may ask users for authorization. */
export class Applications extends Context.Tag("@heddle/server/oauth/Applications")<
  Applications,
  {
    /** Registers an application. */
    readonly create: (registration: Registration) => Effect.Effect<Credentials, InvalidApplication>
    /**
     * Finds the application of this name, or registers it; brings its redirect URIs and scopes to what is given,
     * and gives it a new secret. The previous secret stays valid, older ones do not.
     */
    readonly ensure: (registration: Registration) => Effect.Effect<Credentials, InvalidApplication>
    /** Every application, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Application>>
    readonly get: (clientId: string) => Effect.Effect<Option.Option<Application>>
    /** Takes an application out of service: its tokens stop working at once. False when there is none of this id. */
    readonly disable: (clientId: string) => Effect.Effect<boolean>
    /** The application that these credentials belong to, active or not; a public one has no secret. */
    readonly identify: (
      clientId: string,
      secret: Redacted.Redacted | undefined
    ) => Effect.Effect<Application, InvalidClient>
  }
>() {}

export const layer: Layer.Layer<Applications, never, SqlClient.SqlClient | ServerConfig> = Layer.effect(
  Applications,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`client_id AS "clientId", name, redirect_uris AS "redirectUris", scopes, active, public`
    const { contract } = yield* ServerConfig

    const addSecret = Effect.fnUntraced(function* (clientId: string) {
      const secret = Secret.generate("oa_cs_")
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO application_secrets (secret_hash, client_id, created_at)
        VALUES (${Secret.hash(secret)}, ${clientId}, ${now})`
      yield* sql`DELETE FROM application_secrets WHERE client_id = ${clientId} AND secret_hash NOT IN (
        SELECT secret_hash FROM application_secrets WHERE client_id = ${clientId}
        ORDER BY CASE WHEN secret_hash = ${Secret.hash(secret)} THEN 0 ELSE 1 END, created_at DESC LIMIT 2)`
      return { clientId, clientSecret: Redacted.make(secret) }
    })

    const credentials = (clientId: string, valid: Valid) =>
      valid.public ? Effect.succeed({ clientId, clientSecret: Redacted.make("") }) : addSecret(clientId)

    const validate = (registration: Registration) =>
      registration.public === true && !contract.publicClients
        ? Effect.fail(
            new InvalidApplication({
              message: "This service takes no applications without a secret. Allow them with --public-clients."
            })
          )
        : check(registration)

    const insert = Effect.fnUntraced(function* (valid: Valid) {
      const clientId = `app_${Crypto.randomBytes(12).toString("hex")}`
      const now = yield* Clock.currentTimeMillis
      yield* sql`INSERT INTO applications (client_id, name, redirect_uris, scopes, active, public, created_at)
        VALUES (${clientId}, ${valid.name}, ${valid.redirectUris}, ${valid.scopes}, 1, ${valid.public ? 1 : 0}, ${now})`
      return clientId
    })

    return {
      create: Effect.fn("Applications.create")(function* (registration) {
        const valid = yield* validate(registration)
        return yield* insert(valid).pipe(
          Effect.flatMap((clientId) => credentials(clientId, valid)),
          sql.withTransaction,
          Effect.orDie
        )
      }),

      ensure: Effect.fn("Applications.ensure")(function* (registration) {
        const valid = yield* validate(registration)
        return yield* Effect.gen(function* () {
          const found = yield* sql<{ clientId: string }>`
            UPDATE applications SET redirect_uris = ${valid.redirectUris}, scopes = ${valid.scopes}
            WHERE name = ${valid.name} AND active = 1 AND public = ${valid.public ? 1 : 0} RETURNING client_id AS "clientId"`
          return yield* credentials(found[0]?.clientId ?? (yield* insert(valid)), valid)
        }).pipe(sql.withTransaction, Effect.orDie)
      }),

      list: sql<Row>`SELECT ${columns} FROM applications ORDER BY created_at, client_id`.pipe(
        Effect.map((rows) => rows.map(fromRow)),
        Effect.orDie,
        Effect.withSpan("Applications.list")
      ),

      get: Effect.fn("Applications.get")((clientId) =>
        sql<Row>`SELECT ${columns} FROM applications WHERE client_id = ${clientId}`.pipe(
          Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), fromRow)),
          Effect.orDie
        )
      ),

      disable: Effect.fn("Applications.disable")((clientId) =>
        sql`UPDATE applications SET active = 0 WHERE client_id = ${clientId} RETURNING client_id`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        )
      ),

      identify: Effect.fn("Applications.identify")(function* (clientId, secret) {
        const proof =
          secret === undefined
            ? sql`public = 1`
            : sql`public = 0 AND EXISTS (SELECT 1 FROM application_secrets s
                WHERE s.client_id = applications.client_id AND s.secret_hash = ${Secret.hash(Redacted.value(secret))})`
        const rows = yield* sql<Row>`SELECT ${columns} FROM applications
          WHERE client_id = ${clientId} AND ${proof}`.pipe(Effect.orDie)
        const application = rows[0] === undefined ? undefined : fromRow(rows[0])
        if (application === undefined || (application.public && !contract.publicClients)) {
          return yield* ApiError.invalidClient(wrongCredentials)
        }
        return application
      })
    }
  })
)

interface Row {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: string
  readonly scopes: string
  readonly active: number
  readonly public: number
}

interface Valid {
  readonly name: string
  readonly redirectUris: string
  readonly scopes: string
  readonly public: boolean
}

const decodeScopes = Schema.decodeSync(Scope.ScopeSet)
const decodeUris = Schema.decodeSync(Schema.parseJson(Schema.Array(Schema.String)))

const fromRow = (row: Row): Application => ({
  clientId: row.clientId,
  name: row.name,
  redirectUris: decodeUris(row.redirectUris),
  scopes: decodeScopes(row.scopes),
  active: row.active === 1,
  public: row.public === 1
})

const check = (registration: Registration): Effect.Effect<Valid, InvalidApplication> =>
  Effect.gen(function* () {
    const name = registration.name.trim()
    if (name === "" || [...name].length > 100) {
      return yield* new InvalidApplication({ message: "The name must have 1 to 100 characters." })
    }
    for (const uri of registration.redirectUris) {
      const problem = RedirectUri.registrationProblem(uri)
      if (problem !== undefined) {
        return yield* new InvalidApplication({ message: `The redirect URI ${JSON.stringify(uri)} ${problem}.` })
      }
    }
    const scopes = registration.scopes ?? Scope.knownScopes
    const unknown = scopes.filter((scope) => !Scope.knownScopes.some((known) => known === scope))
    if (unknown.length > 0) {
      return yield* new InvalidApplication({
        message: `There is no scope ${unknown.join(", ")}. The scopes are ${Scope.knownScopes.join(", ")}.`
      })
    }
    return {
      name,
      redirectUris: JSON.stringify([...new Set(registration.redirectUris)]),
      scopes: [...new Set(scopes)].sort().join(" "),
      public: registration.public === true
    }
  })
