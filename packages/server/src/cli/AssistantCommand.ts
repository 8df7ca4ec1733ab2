import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { AssistantCredentials } from "../assistant/AssistantCredentials.ts"
import * as AccountFlag from "./AccountFlag.ts"
import * as DataCommand from "./DataCommand.ts"
import { Failure } from "./Failure.ts"

const create = DataCommand.make(
  "create",
  "Make the credential of one computer's local assistant",
  { user: AccountFlag.user, name: Setting.optional("name", "What the computer is called, for the list") },
  Effect.fnUntraced(function* ({ name, user }, output) {
    yield* AccountFlag.demand(user)
    const label = Option.getOrElse(name, () => "local assistant")
    const created = yield* (yield* AssistantCredentials).create(user, label.slice(0, 64))
    yield* output.print({
      assistant_id: created.assistantId,
      assistant_token: Redacted.value(created.assistantToken)
    })
    yield* output.hint("The token is shown this once. Give it to heddle-assistant as HEDDLE_ASSISTANT_TOKEN.")
  })
)

const list = DataCommand.make(
  "list",
  "List the local assistants of an account",
  { user: AccountFlag.user },
  Effect.fnUntraced(function* ({ user }, output) {
    yield* AccountFlag.demand(user)
    for (const each of yield* (yield* AssistantCredentials).list(user)) {
      yield* output.printItem({
        assistant_id: each.assistantId,
        name: each.name,
        created_at: new Date(each.createdAt).toISOString(),
        revoked: each.revokedAt !== null
      })
    }
  })
)

const revoke = DataCommand.make(
  "revoke",
  "Take a computer's credential back; its program is disconnected at once",
  { assistantId: Args.text({ name: "id" }) },
  Effect.fnUntraced(function* ({ assistantId }, output) {
    if (!(yield* (yield* AssistantCredentials).revoke(assistantId))) {
      return yield* new Failure({
        message: `There is no local assistant ${assistantId}. See: heddle-server assistant list --user ID`
      })
    }
    return yield* output.print({ assistant_id: assistantId, revoked: true })
  })
)

/** `assistant create | list | revoke`: the users' local assistants. */
export const command = Command.make("assistant").pipe(
  Command.withDescription("Administer the credentials of local assistants"),
  Command.withSubcommands([create, list, revoke])
)
