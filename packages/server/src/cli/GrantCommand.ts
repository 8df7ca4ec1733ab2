import * as Command from "@effect/cli/Command"
import * as Setting from "@heddle/command-line/Setting"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Applications } from "../oauth/Applications.ts"
import { Grants } from "../oauth/Grants.ts"
import * as AccountFlag from "./AccountFlag.ts"
import * as DataCommand from "./DataCommand.ts"
import { Failure } from "./Failure.ts"

const create = DataCommand.make(
  "create",
  "Grant an application access to an account without asking, for scripts and tests",
  {
    app: Setting.required("app", "The client_id of the application"),
    user: AccountFlag.user,
    scopes: Setting.texts("scope", "What is granted, all of the application when left out")
  },
  Effect.fnUntraced(function* ({ app, scopes, user }, output) {
    const application = Option.getOrUndefined(yield* (yield* Applications).get(app))
    if (application === undefined || !application.active) {
      return yield* new Failure({ message: `There is no active application ${app}. See: heddle-server app list` })
    }
    yield* AccountFlag.demand(user)
    const wanted = new Set(scopes.length > 0 ? scopes : application.scopes)
    const beyond = [...wanted].filter((scope) => !application.scopes.has(scope))
    if (beyond.length > 0) {
      return yield* new Failure({
        message: `The application may not ask for ${beyond.join(", ")}. See: heddle-server app list`
      })
    }
    const tokens = yield* (yield* Grants).issue({ clientId: app, userId: user, scopes: wanted })
    return yield* output.print({ ...Schema.encodeSync(TokenResponse)(tokens) })
  })
)

/** `grant create`: tokens without a browser. */
export const command = Command.make("grant").pipe(
  Command.withDescription("Issue tokens without a browser"),
  Command.withSubcommands([create])
)
