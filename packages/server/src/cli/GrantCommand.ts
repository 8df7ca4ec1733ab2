import * as Command from "@effect/cli/Command"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Accounts } from "../accounts/Accounts.ts"
import * as Administration from "../Administration.ts"
import { Applications } from "../oauth/Applications.ts"
import { Grants } from "../oauth/Grants.ts"
import { Failure } from "./Failure.ts"
import * as Output from "./Output.ts"
import * as Setting from "./Setting.ts"

const create = Command.make(
  "create",
  {
    app: Setting.requiredText("app", "The client_id of the application"),
    user: Setting.requiredText("user", "The user_id of the account"),
    scopes: Setting.texts("scope", "What is granted, all of the application when left out"),
    data: Setting.dataDir,
    json: Setting.json
  },
  ({ app, data, json, scopes, user }) =>
    Effect.gen(function* () {
      const application = Option.getOrUndefined(yield* (yield* Applications).get(app))
      if (application === undefined || !application.active) {
        return yield* new Failure({ reason: `There is no active application ${app}. See: heddle-server app list` })
      }
      if (Option.isNone(yield* (yield* Accounts).get(user))) {
        return yield* new Failure({
          reason: `There is no account ${user}. The id is the user_id that "user create" printed.`
        })
      }
      const wanted = new Set(scopes.length > 0 ? scopes : application.scopes)
      const beyond = [...wanted].filter((scope) => !application.scopes.has(scope))
      if (beyond.length > 0) {
        return yield* new Failure({
          reason: `The application may not ask for ${beyond.join(", ")}. See: heddle-server app list`
        })
      }
      const tokens = yield* (yield* Grants).issue({ clientId: app, userId: user, scopes: wanted })
      yield* Output.print(json, { ...Schema.encodeSync(TokenResponse)(tokens) })
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Grant an application access to an account without asking, for scripts and tests"))

/** `grant create`: tokens without a browser. */
export const command = Command.make("grant").pipe(
  Command.withDescription("Issue tokens without a browser"),
  Command.withSubcommands([create])
)
