import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Administration from "../Administration.ts"
import { Applications } from "../oauth/Applications.ts"
import { Failure } from "./Failure.ts"
import * as Output from "./Output.ts"
import * as Setting from "./Setting.ts"

const create = Command.make(
  "create",
  {
    name: Setting.requiredText("name", "The name that people see when they are asked for consent"),
    redirectUris: Setting.texts("redirect-uri", "Where people are sent back to, to the letter"),
    scopes: Setting.texts("scope", "What the application may ask for, all when left out"),
    public: Setting.flag("public", "It cannot keep a secret; works only with serve --public-clients"),
    data: Setting.dataDir,
    json: Setting.json
  },
  ({ data, json, name, public: isPublic, redirectUris, scopes }) =>
    Effect.gen(function* () {
      if (redirectUris.length === 0) {
        return yield* new Failure({ reason: "--redirect-uri is missing: where are people sent back to?" })
      }
      const applications = yield* Applications
      const created = yield* applications.create({
        name,
        redirectUris,
        public: isPublic,
        ...(scopes.length > 0 ? { scopes } : {})
      })
      yield* Output.print(json, {
        client_id: created.clientId,
        ...(isPublic ? {} : { client_secret: Redacted.value(created.clientSecret) })
      })
      if (isPublic)
        return yield* Output.note("It has no secret. It works while the service runs with --public-clients.")
      if (!json) yield* Output.note("The secret is shown this once. Keep it safe.")
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Register an application"))

const list = Command.make("list", { data: Setting.dataDir, json: Setting.json }, ({ data, json }) =>
  Effect.gen(function* () {
    const applications = yield* (yield* Applications).list
    for (const application of applications) {
      yield* Output.print(json, {
        client_id: application.clientId,
        name: application.name,
        redirect_uris: application.redirectUris,
        scopes: [...application.scopes],
        active: application.active,
        public: application.public
      })
      if (!json) yield* Output.blankLine
    }
  }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("List the applications"))

const disable = Command.make(
  "disable",
  { clientId: Args.text({ name: "id" }), data: Setting.dataDir, json: Setting.json },
  ({ clientId, data, json }) =>
    Effect.gen(function* () {
      if (!(yield* (yield* Applications).disable(clientId))) {
        return yield* new Failure({ reason: `There is no application ${clientId}. See: heddle-server app list` })
      }
      yield* Output.print(json, { client_id: clientId, active: false })
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Take an application out of service; its tokens stop working at once"))

/** `app create | list | disable`: the applications. */
export const command = Command.make("app").pipe(
  Command.withDescription("Register and administer applications"),
  Command.withSubcommands([create, list, disable])
)
