import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../accounts/Accounts.ts"
import * as Administration from "../Administration.ts"
import * as Output from "./Output.ts"
import * as Setting from "./Setting.ts"

const create = Command.make(
  "create",
  {
    name: Setting.requiredText("name", "The name to sign in with, also shown as nickname"),
    phone: Setting.text("phone", "The bound mobile number as one writes it, like 138 1234 5678 or +852 9123 4567"),
    password: Setting.text(
      "password",
      "The password; without one nobody can sign in to the account. Use the variable: other users of the machine can read a flag"
    ),
    credits: Setting.integer("credits", "How many credits the account starts with"),
    organisation: Setting.flag("organisation", "An organisation's account, which has no credits of its own to show"),
    data: Setting.dataDir,
    json: Setting.json
  },
  ({ credits, data, json, name, organisation, password, phone }) =>
    Effect.gen(function* () {
      const { userId } = yield* (yield* Accounts).create({
        name,
        personal: !organisation,
        ...(Option.isSome(phone) ? { phone: phone.value } : {}),
        ...(Option.isSome(password) ? { password: Redacted.make(password.value) } : {}),
        ...(Option.isSome(credits) ? { credits: credits.value } : {})
      })
      yield* Output.print(json, { user_id: userId })
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Create an account"))

/** `user create`: the accounts. */
export const command = Command.make("user").pipe(
  Command.withDescription("Administer accounts"),
  Command.withSubcommands([create])
)
