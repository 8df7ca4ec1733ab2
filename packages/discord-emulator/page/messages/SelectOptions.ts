import type { APISelectMenuComponent } from "discord-api-types/v10"
import { displayName } from "../model/Names.ts"
import { ComponentType } from "../model/Constants.ts"
import type { State } from "../model/State.ts"
import { ChannelType } from "../model/Types.ts"
import type { SelectOption } from "../widgets/SelectOption.ts"

/** The options of a select menu: its own, or people, roles or channels. */
export const optionsOf = (
  menu: Pick<APISelectMenuComponent, "type"> & { readonly options?: unknown; readonly channel_types?: unknown },
  state: State
): ReadonlyArray<SelectOption> => {
  const people = Object.values(state.people)
    .filter(({ member }) => member !== false)
    .map((person) => ({ label: displayName(person), value: person.id, description: person.username }))
  const roles = state.roles.map((role) => ({ label: `@${role.name.replace(/^@/, "")}`, value: role.id }))
  switch (menu.type) {
    case ComponentType.StringSelect:
      return Array.isArray(menu.options) ? (menu.options as ReadonlyArray<SelectOption>) : []
    case ComponentType.UserSelect:
      return people
    case ComponentType.RoleSelect:
      return roles
    case ComponentType.MentionableSelect:
      return [...people, ...roles]
    case ComponentType.ChannelSelect: {
      const kinds = Array.isArray(menu.channel_types) ? (menu.channel_types as ReadonlyArray<number>) : []
      return state.channels
        .filter(({ type }) => type !== ChannelType.direct && (kinds.length === 0 || kinds.includes(type)))
        .map((channel) => ({ label: `#${channel.name}`, value: channel.id }))
    }
    default:
      return []
  }
}

/** The values that are selected by default. */
export const presetOf = (menu: {
  readonly type: number
  readonly options?: unknown
  readonly default_values?: unknown
}): ReadonlyArray<string> => {
  const { default_values: ids, options } = menu
  if (menu.type !== ComponentType.StringSelect)
    return Array.isArray(ids) ? ids.map(({ id }: { readonly id: string }) => id) : []
  return Array.isArray(options)
    ? (options as ReadonlyArray<SelectOption & { readonly default?: boolean }>)
        .filter((option) => option.default === true)
        .map((option) => option.value)
    : []
}
