import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../accounts/Accounts.ts"
import * as Administration from "../Administration.ts"
import { AssistantCredentials } from "../assistant/AssistantCredentials.ts"
import { Failure } from "./Failure.ts"
import * as Output from "./Output.ts"
import * as Setting from "./Setting.ts"

const user = Setting.requiredText("user", "The user_id of the account")

const existing = Effect.fnUntraced(function* (userId: string) {
  if (Option.isSome(yield* (yield* Accounts).get(userId))) return
  return yield* new Failure({
    reason: `There is no account ${userId}. The id is the user_id that "user create" printed.`
  })
})

const create = Command.make(
  "create",
  {
    user,
    name: Setting.text("name", "What the computer is called, for the list"),
    data: Setting.dataDir,
    json: Setting.json
  },
  ({ data, json, name, user }) =>
    Effect.gen(function* () {
      yield* existing(user)
      const label = Option.getOrElse(name, () => "local assistant")
      const created = yield* (yield* AssistantCredentials).create(user, label.slice(0, 64))
      yield* Output.print(json, {
        assistant_id: created.assistantId,
        assistant_token: Redacted.value(created.assistantToken)
      })
      if (!json) {
        yield* Output.note("The token is shown this once. Give it to heddle-assistant as HEDDLE_ASSISTANT_TOKEN.")
      }
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Make the credential of one computer's local assistant"))

const list = Command.make("list", { user, data: Setting.dataDir, json: Setting.json }, ({ data, json, user }) =>
  Effect.gen(function* () {
    yield* existing(user)
    for (const each of yield* (yield* AssistantCredentials).list(user)) {
      yield* Output.print(json, {
        assistant_id: each.assistantId,
        name: each.name,
        created_at: new Date(each.createdAt).toISOString(),
        revoked: each.revokedAt !== null
      })
      if (!json) yield* Output.blankLine
    }
  }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("List the local assistants of an account"))

const revoke = Command.make(
  "revoke",
  { assistantId: Args.text({ name: "id" }), data: Setting.dataDir, json: Setting.json },
  ({ assistantId, data, json }) =>
    Effect.gen(function* () {
      if (!(yield* (yield* AssistantCredentials).revoke(assistantId))) {
        return yield* new Failure({
          reason: `There is no local assistant ${assistantId}. See: heddle-server assistant list --user ID`
        })
      }
      yield* Output.print(json, { assistant_id: assistantId, revoked: true })
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("Take a computer's credential back; its program is disconnected at once"))

/** `assistant create | list | revoke`: the users' local assistants. */
export const command = Command.make("assistant").pipe(
  Command.withDescription("Administer the credentials of local assistants"),
  Command.withSubcommands([create, list, revoke])
)
