import type { APIApplicationCommand } from "discord-api-types/v10"
import type { Parts } from "../../context/Context.ts"
import { Windows } from "../../limits/Windows.ts"
import { applicationFlags } from "../../gateway/Ready.ts"
import { refuse } from "../../model/DiscordError.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"
import { demandRoom, readCommand, readCommands } from "../../validate/Commands.ts"
import { Form, isFields } from "../../validate/Form.ts"
import { localized } from "../../validate/Localizations.ts"

/** The application and its commands, global and of the guild. */
export const applicationRoutes = ({ render, settings, world }: Parts): ReadonlyArray<Route> => {
  const application = () => ({
    id: world.realm.applicationId,
    name: world.users.get(world.realm.botId)?.username ?? "Bot",
    icon: null,
    description: "",
    type: null,
    bot: render.user(world.realm.botId),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    owner: render.user(world.realm.ownerId),
    team: null,
    flags: applicationFlags(settings),
    flags_new: String(applicationFlags(settings)),
    approximate_guild_count: 1,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: ["bot", "applications.commands"],
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    integration_types_config: {},
    ...world.realm.application
  })

  const change = (body: unknown): void => {
    const form = new Form()
    const fields = form.object(body ?? {}, []) ?? {}
    form.text(fields, "description", [], { max: 400 })
    const tags = form.list(fields, "tags", [], { max: 5 })
    tags?.forEach((_, index) => form.text({ ...tags }, String(index), ["tags"], { min: 1, max: 20 }))
    for (const key of urls) form.text(fields, key, [], { max: 2048 })
    form.absent(fields, unkept)
    form.check()
    const kept = ["description", "tags", ...urls].filter((key) => fields[key] !== undefined && fields[key] !== null)
    const changed = Object.fromEntries(kept.map((key) => [key, fields[key]]))
    world.commit({ kind: "realm", value: { ...world.realm, application: { ...world.realm.application, ...changed } } })
  }

  const scope = (call: Call): string | null => {
    if (param(call, "application") !== world.realm.applicationId) throw refuse.unknownApplication()
    const guild = call.params["guild"] ?? null
    if (guild !== null && guild !== world.realm.guildId) throw refuse.missingAccess()
    return guild
  }
  const creates = new Windows(settings.clock.now)
  /** Refuses what would make more new commands than a day allows. */
  const demandCreatable = (commands: ReadonlyArray<Partial<APIApplicationCommand>>, guildId: string | null): void => {
    const rule = settings.limits.commandCreates
    if (rule === undefined) return
    const made = commands.filter((command) => existing(command, guildId) === undefined)
    const key = guildId ?? "global"
    if (made.length + (creates.look(key)?.used ?? 0) > rule.limit) throw refuse.tooManyCreates(rule.limit)
    for (const _ of made) creates.count(key, rule)
  }
  const existing = (command: Partial<APIApplicationCommand>, guildId: string | null) =>
    world.commands(guildId).find((one) => one.name === command.name && one.type === (command.type ?? 1))
  const fill = (command: Partial<APIApplicationCommand>, guildId: string | null): APIApplicationCommand => {
    const id = existing(command, guildId)?.id ?? world.ids.next()
    return {
      ...command,
      id,
      application_id: world.realm.applicationId,
      version: world.ids.next(),
      ...(guildId === null ? {} : { guild_id: guildId })
    } as APIApplicationCommand
  }
  const save = (guildId: string | null, value: ReadonlyArray<APIApplicationCommand>): void =>
    world.commit({ kind: "commands", guildId, value })
  const find = (call: Call): APIApplicationCommand => {
    const found = world.commands(scope(call)).find((one) => one.id === param(call, "command"))
    if (found === undefined) throw refuse.unknownCommand()
    return found
  }

  const commands = (path: string): ReadonlyArray<Route> => [
    {
      method: "GET",
      path,
      handle: (call) => {
        const list = world.commands(scope(call))
        return ok(call.query.get("with_localizations") === "true" ? list : localized(list, call.locale))
      }
    },
    {
      method: "PUT",
      path,
      handle: (call) => {
        const guildId = scope(call)
        const wanted = readCommands(call.json)
        demandCreatable(wanted, guildId)
        const value = wanted.map((command) => fill(command, guildId))
        save(guildId, value)
        return ok(value)
      }
    },
    {
      method: "POST",
      path,
      handle: (call) => {
        const guildId = scope(call)
        const wanted = readCommand(call.json)
        const before = existing(wanted, guildId)
        const others = world.commands(guildId).filter((one) => one.id !== before?.id)
        demandRoom([...others, wanted])
        demandCreatable([wanted], guildId)
        const command = fill(wanted, guildId)
        save(guildId, [...others, command])
        return { status: before === undefined ? 201 : 200, body: command }
      }
    },
    { method: "GET", path: `${path}/:command`, handle: (call) => ok(find(call)) },
    {
      method: "PATCH",
      path: `${path}/:command`,
      handle: (call) => {
        const guildId = scope(call)
        const before = find(call)
        const changed = {
          ...before,
          ...readCommand({ ...before, ...(isFields(call.json) ? call.json : {}) }),
          id: before.id
        }
        save(
          guildId,
          world.commands(guildId).map((one) => (one.id === before.id ? changed : one))
        )
        return ok(changed)
      }
    },
    {
      method: "DELETE",
      path: `${path}/:command`,
      handle: (call) => {
        const guildId = scope(call)
        const gone = find(call)
        save(
          guildId,
          world.commands(guildId).filter((one) => one.id !== gone.id)
        )
        return noContent
      }
    }
  ]

  return [
    { method: "GET", path: "/applications/@me", handle: () => ok(application()) },
    { method: "GET", path: "/oauth2/applications/@me", handle: () => ok(application()) },
    {
      method: "PATCH",
      path: "/applications/@me",
      handle: ({ json }) => {
        change(json)
        return ok(application())
      }
    },
    {
      method: "GET",
      path: "/applications/:application/emojis",
      handle: (call) => {
        scope(call)
        return ok({ items: [] })
      }
    },
    {
      method: "GET",
      path: `${ofGuild}/permissions`,
      handle: (call) => {
        scope(call)
        return ok([])
      }
    },
    {
      method: "GET",
      path: `${ofGuild}/:command/permissions`,
      // Nobody here can set any; Discord says it like this for a command without.
      handle: (call) => {
        find(call)
        throw refuse.unknownCommandPermissions()
      }
    },
    {
      method: "PUT",
      path: `${ofGuild}/:command/permissions`,
      handle: () => {
        throw refuse.botsCannot()
      }
    },
    ...commands("/applications/:application/commands"),
    ...commands(ofGuild)
  ]
}

const ofGuild = "/applications/:application/guilds/:guild/commands"

const urls = ["custom_install_url", "role_connections_verification_url"]

/** What cannot be kept here: pictures, and where Discord would send events instead of the gateway. */
const unkept = [
  "icon",
  "cover_image",
  "interactions_endpoint_url",
  "event_webhooks_url",
  "event_webhooks_status",
  "event_webhooks_types",
  "install_params",
  "integration_types_config",
  "flags"
]
