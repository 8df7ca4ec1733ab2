import * as Command from "@effect/cli/Command"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../accounts/Accounts.ts"
import * as DataCommand from "./DataCommand.ts"

const create = DataCommand.make(
  "create",
  "Create an account",
  {
    name: Setting.required("name", "The name to sign in with, also shown as nickname"),
    phone: Setting.optional("phone", "The bound mobile number as one writes it, like 138 1234 5678 or +852 9123 4567"),
    password: Setting.optional(
      "password",
      "The password; the account has no sign-in without one. Use the variable: other users of the machine can read a flag"
    ),
    credits: Setting.integer("credits", "How many credits the account starts with"),
    organisation: Setting.flag("organisation", "An organisation's account, which has no credits of its own to show")
  },
  Effect.fnUntraced(function* ({ credits, name, organisation, password, phone }, output) {
    const { userId } = yield* (yield* Accounts).create({
      name,
      personal: !organisation,
      ...Setting.definedOnly({ phone, password: Option.map(password, Redacted.make), credits })
    })
    yield* output.print({ user_id: userId })
  })
)

/** `user create`: the accounts. */
export const command = Command.make("user").pipe(
  Command.withDescription("Administer accounts"),
  Command.withSubcommands([create])
)
