import type { APIApplicationCommand } from "discord-api-types/v10"
import type { Context } from "../../context/Context.ts"
import { FixedWindows } from "../../limits/FixedWindows.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { Store } from "../../state/Store.ts"
import { readCommand, readCommands, requireCommandLimits } from "../../validate/Commands.ts"
import { isJsonObject } from "../../validate/Form.ts"
import { localized } from "../../validate/Localizations.ts"
import { type Call, isSet, noContent, ok, param, type Reply, type Route, route } from "../routing/Router.ts"

type CommandBody = Partial<APIApplicationCommand>

/** The commands of a guild, or the global ones. */
interface CommandScope {
  readonly store: Store
  readonly guildId: string | null
  /** Counts new commands; throws 30034 above the daily limit. */
  readonly countCreates: (commands: ReadonlyArray<CommandBody>) => void
}

const guildCommandsPath = "/applications/:application/guilds/:guild/commands"

/** The commands of the application, global and of the guild. */
export const commandRoutes = (context: Context): ReadonlyArray<Route> => {
  const readScope = makeScopeReader(context)
  return [
    route("GET", `${guildCommandsPath}/permissions`, (call) => {
      readScope(call)
      return ok([])
    }),
    // Without configured permissions, Discord answers with an error.
    route("GET", `${guildCommandsPath}/:command/permissions`, (call) => {
      findCommand(readScope(call), call)
      throw apiErrors.unknownCommandPermissions()
    }),
    route("PUT", `${guildCommandsPath}/:command/permissions`, () => {
      throw apiErrors.botsNotAllowed()
    }),
    ...["/applications/:application/commands", guildCommandsPath].flatMap((path) => [
      route("GET", path, (call) => listCommands(readScope(call), call)),
      route("PUT", path, (call) => overwriteCommands(readScope(call), call)),
      route("POST", path, (call) => createCommand(readScope(call), call)),
      route("GET", `${path}/:command`, (call) => ok(findCommand(readScope(call), call))),
      route("PATCH", `${path}/:command`, (call) => modifyCommand(readScope(call), call)),
      route("DELETE", `${path}/:command`, (call) => removeCommand(readScope(call), call))
    ])
  ]
}

const makeScopeReader = ({ settings, store }: Context): ((call: Call) => CommandScope) => {
  const createWindows = new FixedWindows(settings.clock.now)
  const rule = settings.limits.commandCreates
  return (call) => {
    if (param(call, "application") !== store.guild.applicationId) throw apiErrors.unknownApplication()
    const guildId = call.params["guild"] ?? null
    if (guildId !== null && guildId !== store.guild.guildId) throw apiErrors.missingAccess()
    const countCreates: CommandScope["countCreates"] = (commands) => {
      if (rule === undefined) return
      const creates = commands.filter((command) => findSameNamed({ store, guildId }, command) === undefined)
      const key = guildId ?? "global"
      if (creates.length + (createWindows.peek(key)?.used ?? 0) > rule.limit)
        throw apiErrors.tooManyCommandCreates(rule.limit)
      for (const _ of creates) createWindows.count(key, rule)
    }
    return { store, guildId, countCreates }
  }
}

const listCommands = ({ guildId, store }: CommandScope, call: Call): Reply => {
  const commands = store.commands(guildId)
  return ok(isSet(call, "with_localizations") ? commands : localized(commands, call.locale))
}

const overwriteCommands = (scope: CommandScope, call: Call): Reply => {
  const bodies = readCommands(call.json)
  scope.countCreates(bodies)
  const value = bodies.map((body) => commandRecord(scope, body))
  saveCommands(scope, value)
  return ok(value)
}

const createCommand = (scope: CommandScope, call: Call): Reply => {
  const body = readCommand(call.json)
  const before = findSameNamed(scope, body)
  const others = scope.store.commands(scope.guildId).filter((command) => command.id !== before?.id)
  requireCommandLimits([...others, body])
  scope.countCreates([body])
  const command = commandRecord(scope, body)
  saveCommands(scope, [...others, command])
  return { status: before === undefined ? 201 : 200, body: command }
}

const modifyCommand = (scope: CommandScope, call: Call): Reply => {
  const before = findCommand(scope, call)
  const body = readCommand({ ...before, ...(isJsonObject(call.json) ? call.json : {}) })
  const changed = { ...before, ...body, id: before.id }
  saveCommands(
    scope,
    scope.store.commands(scope.guildId).map((command) => (command.id === before.id ? changed : command))
  )
  return ok(changed)
}

const removeCommand = (scope: CommandScope, call: Call): Reply => {
  const { id } = findCommand(scope, call)
  saveCommands(
    scope,
    scope.store.commands(scope.guildId).filter((command) => command.id !== id)
  )
  return noContent
}

const saveCommands = ({ guildId, store }: CommandScope, value: ReadonlyArray<APIApplicationCommand>): void =>
  store.commit({ kind: "commands", guildId, value })

const findCommand = ({ guildId, store }: CommandScope, call: Call): APIApplicationCommand => {
  const command = store.commands(guildId).find(({ id }) => id === param(call, "command"))
  if (command === undefined) throw apiErrors.unknownCommand()
  return command
}

/** The command of the same name and type. */
const findSameNamed = (
  { guildId, store }: Pick<CommandScope, "guildId" | "store">,
  { name, type = 1 }: CommandBody
): APIApplicationCommand | undefined =>
  store.commands(guildId).find((command) => command.name === name && command.type === type)

const commandRecord = (scope: CommandScope, body: CommandBody): APIApplicationCommand => {
  const { guildId, store } = scope
  return {
    ...body,
    id: findSameNamed(scope, body)?.id ?? store.ids.next(),
    application_id: store.guild.applicationId,
    version: store.ids.next(),
    ...(guildId === null ? {} : { guild_id: guildId })
  } as APIApplicationCommand
}
