import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPutAPIApplicationGuildCommandsJSONBody
} from "discord.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decide } from "../access/Policy.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import type { Invoked } from "../discord/DiscordEvent.ts"
import { explain } from "../messages/Explain.ts"
import { english, forLocale } from "../messages/Messages.ts"
import { reference } from "../Reference.ts"
import { type Command, say } from "./Command.ts"
import { ConnectAccount } from "./ConnectAccount.ts"
import { Credit } from "./Credit.ts"
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
  const messages = forLocale(event.reply.locale)
  const command: Command<Requirements> | undefined = commands.find(({ path }) => path === event.path)
  const acknowledge = yield* Effect.once(api.defer(event.reply))
  if (command?.acknowledges !== true) yield* acknowledge
  const answer = yield* Effect.gen(function* () {
    if (command === undefined) return Option.some(say(messages.buttonUnknown))
    const action = yield* command.action(event)
    if (Option.isSome(action)) {
      const decision = decide(event.reply.userId, action.value)
      if (decision === "onlyInServers") return Option.some(say(messages.onlyInServers))
      if (decision === "notYours") {
        return Option.some(say(messages.notYours("ownerId" in action.value ? action.value.ownerId : "")))
      }
    }
    return yield* command.handle(event, acknowledge)
  }).pipe(
    Effect.catchAll((error) =>
      error._tag === "DiscordError" ? Effect.fail(error) : Effect.succeedSome(say(explain(error)))
    ),
    Effect.catchAllDefect((defect) => {
      const id = reference()
      return Effect.as(
        Effect.logError(`Command ${event.path} failed (${id})`, defect),
        Option.some(say(messages.internal(id)))
      )
    })
  )
  if (Option.isNone(answer)) return
  yield* acknowledge
  yield* api.editReply(event.reply, answer.value)
})

/** Registers the commands in a guild, if they are not the ones that it has. */
export const register = Effect.fn("Commands.register")(function* (guildId: string) {
  const sql = yield* SqlClient.SqlClient
  const api = yield* DiscordApi
  const body = definitions()
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

const definitions = (): RESTPutAPIApplicationGuildCommandsJSONBody => {
  const bodies = new Map<string, RESTPostAPIChatInputApplicationCommandsJSONBody>()
  for (const { description, options, path } of commands) {
    const [name = path, subcommand] = path.split(" ")
    const base = { type: ApplicationCommandType.ChatInput as const, name, contexts: [InteractionContextType.Guild] }
    if (subcommand === undefined) {
      bodies.set(name, { ...base, description, options: [...options] })
      continue
    }
    const group = bodies.get(name) ?? { ...base, description: "Cloud tasks", options: [] }
    bodies.set(name, {
      ...group,
      options: [
        ...(group.options ?? []),
        { type: ApplicationCommandOptionType.Subcommand, name: subcommand, description, options: [...options] }
      ]
    })
  }
  return [...bodies.values(), { type: ApplicationCommandType.Message, name: english.startWithMessage }]
}
