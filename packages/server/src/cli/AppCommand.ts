import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Output from "@heddle/command-line/Output"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Applications } from "../oauth/Applications.ts"
import * as DataCommand from "./DataCommand.ts"
import { Failure } from "./Failure.ts"

const create = DataCommand.make(
  "create",
  "Register an application",
  {
    name: Setting.required("name", "The name that people see when they are asked for consent"),
    redirectUris: Setting.texts("redirect-uri", "Where people are sent back to, to the letter"),
    scopes: Setting.texts("scope", "What the application may ask for, all when left out"),
    public: Setting.flag("public", "It cannot keep a secret; works only with serve --public-clients")
  },
  Effect.fnUntraced(function* ({ name, public: isPublic, redirectUris, scopes }, output) {
    if (redirectUris.length === 0) {
      return yield* new Failure({ message: "--redirect-uri is missing: where are people sent back to?" })
    }
    const applications = yield* Applications
    const created = yield* applications.create({
      name,
      redirectUris,
      public: isPublic,
      ...(scopes.length > 0 ? { scopes } : {})
    })
    yield* output.print({
      client_id: created.clientId,
      ...(isPublic ? {} : { client_secret: Redacted.value(created.clientSecret) })
    })
    return yield* isPublic
      ? Output.note("It has no secret. It works while the service runs with --public-clients.")
      : output.hint("The secret is shown this once. Keep it safe.")
  })
)

const list = DataCommand.make(
  "list",
  "List the applications",
  {},
  Effect.fnUntraced(function* (_, output) {
    for (const application of yield* (yield* Applications).list) {
      yield* output.printItem({
        client_id: application.clientId,
        name: application.name,
        redirect_uris: application.redirectUris,
        scopes: [...application.scopes],
        active: application.active,
        public: application.public
      })
    }
  })
)

const disable = DataCommand.make(
  "disable",
  "Take an application out of service; its tokens stop working at once",
  { clientId: Args.text({ name: "id" }) },
  Effect.fnUntraced(function* ({ clientId }, output) {
    if (!(yield* (yield* Applications).disable(clientId))) {
      return yield* new Failure({ message: `There is no application ${clientId}. See: heddle-server app list` })
    }
    return yield* output.print({ client_id: clientId, active: false })
  })
)

/** `app create | list | disable`: the applications. */
export const command = Command.make("app").pipe(
  Command.withDescription("Register and administer applications"),
  Command.withSubcommands([create, list, disable])
)
