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

/** The registration of an application. Without scopes its authorization list is every scope of the document. */
export interface Registration {
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
  readonly scopes?: ReadonlyArray<string>
  /** For an application that cannot keep a secret; needs `publicClients`. */
  readonly public?: boolean
}

/** An application's credentials; the secret is returned only here. It is empty for a public application. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** The same message for an unknown, a disabled and a wrong client: it must not reveal which client ids exist. */
export const wrongCredentials = "The client_id or client_secret is wrong, or the application is not active."

/** The applications that may ask users for authorization. */
export class Applications extends Context.Tag("@heddle/server/oauth/Applications")<
  Applications,
  {
    /** Registers an application. */
    readonly create: (registration: Registration) => Effect.Effect<Credentials, InvalidApplication>
    /**
     * Finds the application with this name, or registers it; sets its redirect URIs and scopes, and issues a new
     * secret. The previous secret stays valid, older ones do not.
     */
    readonly ensure: (registration: Registration) => Effect.Effect<Credentials, InvalidApplication>
    /** Every application, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Application>>
    readonly get: (clientId: string) => Effect.Effect<Option.Option<Application>>
    /** Disables an application: its tokens stop working at once. False if no application has this id. */
    readonly disable: (clientId: string) => Effect.Effect<boolean>
    /** The application with these credentials, active or not; a public one has no secret. */
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

    const { insert, issueCredentials, update } = registrationsOf(sql)

    const validate = (registration: Registration) =>
      registration.public === true && !contract.publicClients
        ? Effect.fail(
            new InvalidApplication({
              message: "This service takes no applications without a secret. Allow them with --public-clients."
            })
          )
        : checkRegistration(registration)

    return {
      create: Effect.fn("Applications.create")(function* (registration) {
        const registered = yield* validate(registration)
        return yield* insert(registered).pipe(
          Effect.flatMap((clientId) => issueCredentials(clientId, registered)),
          sql.withTransaction,
          Effect.orDie
        )
      }),

      ensure: Effect.fn("Applications.ensure")(function* (registration) {
        const registered = yield* validate(registration)
        return yield* Effect.gen(function* () {
          const clientId = (yield* update(registered)) ?? (yield* insert(registered))
          return yield* issueCredentials(clientId, registered)
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
        const secretMatches =
          secret === undefined
            ? sql`public = 1`
            : sql`public = 0 AND EXISTS (SELECT 1 FROM application_secrets s
                WHERE s.client_id = applications.client_id AND s.secret_hash = ${Secret.hash(Redacted.value(secret))})`
        const rows = yield* sql<Row>`SELECT ${columns} FROM applications
          WHERE client_id = ${clientId} AND ${secretMatches}`.pipe(Effect.orDie)
        const application = rows[0] === undefined ? undefined : fromRow(rows[0])
        if (application === undefined || (application.public && !contract.publicClients)) {
          return yield* ApiError.invalidClient(wrongCredentials)
        }
        return application
      })
    }
  })
)

/** Writes registrations and secrets. */
const registrationsOf = (sql: SqlClient.SqlClient) => {
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

  const issueCredentials = (clientId: string, registered: ValidRegistration) =>
    registered.public ? Effect.succeed({ clientId, clientSecret: Redacted.make("") }) : addSecret(clientId)

  const insert = Effect.fnUntraced(function* (registered: ValidRegistration) {
    const clientId = `app_${Crypto.randomBytes(12).toString("hex")}`
    const now = yield* Clock.currentTimeMillis
    yield* sql`INSERT INTO applications (client_id, name, redirect_uris, scopes, active, public, created_at)
      VALUES (${clientId}, ${registered.name}, ${registered.redirectUris}, ${registered.scopes}, 1, ${registered.public ? 1 : 0}, ${now})`
    return clientId
  })

  /** Changes the active application with this name; gives its id. */
  const update = Effect.fnUntraced(function* (registered: ValidRegistration) {
    const updated = yield* sql<{ clientId: string }>`
      UPDATE applications SET redirect_uris = ${registered.redirectUris}, scopes = ${registered.scopes}
      WHERE name = ${registered.name} AND active = 1 AND public = ${registered.public ? 1 : 0} RETURNING client_id AS "clientId"`
    return updated[0]?.clientId
  })

  return { insert, issueCredentials, update }
}

interface Row {
  readonly clientId: string
  readonly name: string
  readonly redirectUris: string
  readonly scopes: string
  readonly active: number
  readonly public: number
}

interface ValidRegistration {
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

const checkRegistration = (registration: Registration): Effect.Effect<ValidRegistration, InvalidApplication> =>
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
    const unknown = scopes.filter((scope) => !Scope.knownScopes.some((knownScope) => knownScope === scope))
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
