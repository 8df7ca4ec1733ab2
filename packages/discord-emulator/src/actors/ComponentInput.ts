import type { Context } from "../context/Context.ts"
import { type JsonObject, isJsonObject } from "../validate/Form.ts"
import { ButtonKind, Component } from "../model/Constants.ts"
import type { StoredMessage } from "../model/Records.ts"
import { guildPermissions } from "../state/Permissions.ts"
import { ActorError } from "./ActorError.ts"

/** Checks the use of a button or select as Discord's client does, and returns the `data` of the interaction. */
export const readComponentInput = (
  context: Context,
  message: StoredMessage,
  customId: string,
  values: ReadonlyArray<string> | undefined
): JsonObject => {
  const components = [...interactiveComponents(message.components)]
  const component = components.find((candidate) => candidate["custom_id"] === customId)
  if (component === undefined) {
    const names = components.map((candidate) => String(candidate["custom_id"] ?? candidate["url"])).join(", ")
    throw new ActorError(`The message has no button or select ${customId}. It has: ${names || "none"}`)
  }
  if (component["disabled"] === true) throw new ActorError(`${customId} is disabled`)
  const shared = { custom_id: customId, component_type: component["type"], id: component["id"] }
  if (component["type"] === Component.button) {
    if (component["style"] === ButtonKind.link) throw new ActorError(`${customId} is a link`)
    return shared
  }
  if (values === undefined) throw new ActorError(`${customId} is a select: choose values`)
  return { ...shared, ...readSelection(context, component, values) }
}

/** Checks the selected values, and resolves the ids of users, roles and channels. */
export const readSelection = (
  { render, store }: Context,
  component: JsonObject,
  values: ReadonlyArray<string>
): { readonly values: ReadonlyArray<string>; readonly resolved?: JsonObject } => {
  const name = String(component["custom_id"])
  const min = Number(component["min_values"] ?? 1)
  const max = Number(component["max_values"] ?? 1)
  if (values.length < min || values.length > max)
    throw new ActorError(`${name} takes ${min === max ? min : `${min} to ${max}`} values, not ${values.length}`)
  switch (component["type"]) {
    case Component.stringSelect:
    case Component.checkboxGroup: {
      const options = Array.isArray(component["options"]) ? component["options"].filter(isJsonObject) : []
      const optionValues = options.map((option) => String(option["value"]))
      const unknown = values.find((value) => !optionValues.includes(value))
      if (unknown !== undefined)
        throw new ActorError(`${name} has no choice ${unknown}. It has: ${optionValues.join(", ")}`)
      return { values }
    }
    case Component.channelSelect: {
      const channels = values.map((id) => {
        const channel = store.channels.get(id)
        if (channel === undefined) throw new ActorError(`${name}: there is no channel ${id}`)
        return [id, render.channel(channel)] as const
      })
      return { values, resolved: { channels: Object.fromEntries(channels) } }
    }
    default: {
      const kind = component["type"]
      const selected = values.map((value) => {
        const user = [...store.users.values()].find((entry) => entry.id === value || entry.username === value)
        const role = [...store.roles.values()].find((entry) => entry.id === value || entry.name === value)
        if (user !== undefined && kind !== Component.roleSelect) return { user: user.id }
        if (role !== undefined && kind !== Component.userSelect) return { role }
        throw new ActorError(`${name}: there is no ${kind === Component.roleSelect ? "role" : "user"} ${value}`)
      })
      const ids = selected.flatMap(({ user }) => user ?? [])
      const roles = selected.flatMap(({ role }) => role ?? [])
      const members = ids.map((id) => {
        const { user: _, deaf: __, mute: ___, ...member } = render.member(id)
        return [id, { ...member, permissions: String(guildPermissions(store, id)) }] as const
      })
      const users = Object.fromEntries(ids.map((id) => [id, render.user(id)]))
      return {
        values: selected.map(({ role, user }) => user ?? role?.id ?? ""),
        resolved: {
          ...(ids.length === 0 ? {} : { users, members: Object.fromEntries(members) }),
          ...(roles.length === 0
            ? {}
            : { roles: Object.fromEntries(roles.map((role) => [role.id, render.role(role)])) })
        }
      }
    }
  }
}

/** Buttons and selects at any depth. */
function* interactiveComponents(components: ReadonlyArray<unknown>): Iterable<JsonObject> {
  for (const component of components) {
    if (!isJsonObject(component)) continue
    if ("custom_id" in component || component["type"] === Component.button) yield component
    if (Array.isArray(component["components"])) yield* interactiveComponents(component["components"])
    if (component["accessory"] !== undefined) yield* interactiveComponents([component["accessory"]])
  }
}
