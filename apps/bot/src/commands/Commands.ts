import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decide } from "../access/Policy.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Invoked } from "../discord/DiscordEvent.ts"
import { explain, tell } from "../messages/Explain.ts"
import { Languages } from "../messages/Languages.ts"
import { reference } from "../Reference.ts"
import { type Command, say } from "./Command.ts"
import { ConnectAccount } from "./ConnectAccount.ts"
import { Credit } from "./Credit.ts"
import { definitions } from "./Definitions.ts"
import { DisconnectAccount } from "./DisconnectAccount.ts"
import { Help } from "./Help.ts"
import { TaskList } from "./TaskList.ts"
import { TaskNew } from "./TaskNew.ts"
import { TaskStatus } from "./TaskStatus.ts"
import { TaskStop } from "./TaskStop.ts"

/** Every command of the bot. */
const commands = [TaskNew, TaskList, TaskStatus, TaskStop, ConnectAccount, DisconnectAccount, Credit, Help] as const

type Requirements = (typeof commands)[number] extends infer C ? (C extends Command<infer R> ? R : never) : never

/** Acknowledges a command, asks the policy, runs it and shows its private answer; every failure ends in words. */
export const dispatch = Effect.fn("Commands.dispatch")(function* (event: Invoked) {
  const api = yield* DiscordApi
  const command: Command<Requirements> | undefined = commands.find(({ path }) => path === event.path)
  yield* api.defer(event.reply)
  const messages = yield* (yield* Languages).ofPerson(event.reply)
  const answer = yield* Effect.gen(function* () {
    if (command === undefined) return Option.some(say(messages.commandUnknown))
    const action = yield* command.action(event)
    if (Option.isSome(action)) {
      const decision = decide(event.reply.userId, action.value)
      if (decision === "onlyInServers") return Option.some(say(messages.onlyInServers))
      if (decision === "notYours") {
        return Option.some(say(messages.notYours("ownerId" in action.value ? action.value.ownerId : "")))
      }
    }
    return yield* command.handle(event, messages)
  }).pipe(
    Effect.catchAll((error) => Effect.succeedSome(say(explain(messages, error)))),
    Effect.catchAllDefect((defect) => {
      const id = reference()
      return Effect.as(
        Effect.logError(`Command ${event.path} failed (${id})`, defect),
        Option.some(say(tell(messages, messages.failures.internal(id))))
      )
    })
  )
  if (Option.isSome(answer)) yield* api.editReply(event.reply, answer.value)
})

/** Registers the commands in a guild, if they are not the ones that it has. */
export const register = Effect.fn("Commands.register")(function* (guildId: string) {
  const sql = yield* SqlClient.SqlClient
  const api = yield* DiscordApi
  const body = definitions(commands)
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("base64url")
  const [known] = yield* Effect.orDie(
    sql<{ hash: string }>`SELECT hash FROM guild_commands WHERE guild_id = ${guildId}`
  )
  if (known?.hash === hash) return
  yield* api.setCommands(guildId, body)
  yield* Effect.orDie(
    sql`INSERT INTO guild_commands ${sql.insert({ guild_id: guildId, hash })}
      ON CONFLICT (guild_id) DO UPDATE SET hash = excluded.hash`
  )
})
