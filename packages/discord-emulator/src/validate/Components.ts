import type { APIMessageTopLevelComponent } from "discord-api-types/v10"
import { ButtonKind, Component } from "../model/Constants.ts"
import { type ComponentIds, readComponentIds } from "./ComponentIds.ts"
import { checkedAs, type JsonObject, Form, isJsonObject, type Path } from "./Form.ts"

const selects: ReadonlyArray<unknown> = [
  Component.stringSelect,
  Component.userSelect,
  Component.roleSelect,
  Component.mentionableSelect,
  Component.channelSelect
]
const layouts: ReadonlyArray<unknown> = [
  Component.actionRow,
  Component.section,
  Component.textDisplay,
  Component.mediaGallery,
  Component.file,
  Component.separator,
  Component.container
]

/** Checks the components of a message; `v2` allows the newer layouts (flag IS_COMPONENTS_V2). */
export const readComponents = (
  form: Form,
  body: JsonObject,
  v2: boolean
): ReadonlyArray<APIMessageTopLevelComponent> | undefined => {
  const list = form.list(body, "components", [], { max: v2 ? 40 : 5 })
  if (list === undefined) return undefined
  const ids = readComponentIds(form, list, ["components"])
  const seen: Seen = { customIds: new Set(), count: 0, text: 0, ids }
  const components = list.map((value, index) => {
    const path = ["components", index]
    const type = isJsonObject(value) ? value["type"] : undefined
    if (!(v2 ? layouts.includes(type) : type === Component.actionRow))
      form.add(
        [...path, "type"],
        "UNION_TYPE_CHOICES",
        `Value of field "type" must be one of (${v2 ? layouts.join(", ") : "1"}).`
      )
    return readComponent(form, value, path, seen)
  })
  if (v2 && seen.count > 40)
    form.add(["components"], "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The total number of components exceeds 40")
  if (v2 && seen.text > 4000)
    form.add(["components"], "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "The total text of components exceeds 4000")
  return checkedAs(components)
}

interface Seen {
  readonly customIds: Set<string>
  count: number
  text: number
  readonly ids: ComponentIds
}

const readComponent = (form: Form, value: unknown, path: Path, seen: Seen): JsonObject => {
  const fields = form.object(value, path)
  if (fields === undefined) return {}
  seen.count++
  const type = fields["type"]
  const id = seen.ids(fields)
  const children = (key: string, limits: { min: number; max: number }): ReadonlyArray<JsonObject> =>
    (form.list(fields, key, path, limits) ?? []).map((child, index) =>
      readComponent(form, child, [...path, key, index], seen)
    )
  switch (type) {
    case Component.actionRow: {
      const inside = children("components", { min: 1, max: 5 })
      const kinds = inside.map((child) => child["type"])
      if (kinds.some((kind) => kind !== Component.button && !selects.includes(kind)))
        form.add(
          [...path, "components"],
          "UNION_TYPE_CHOICES",
          'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).'
        )
      else if (kinds.some((kind) => selects.includes(kind)) && kinds.length > 1)
        form.add(
          [...path, "components"],
          "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
          "The specified component exceeds the maximum width"
        )
      return { ...fields, id, components: inside }
    }
    case Component.button:
      return readButton(form, fields, path, seen, id)
    case Component.stringSelect:
    case Component.userSelect:
    case Component.roleSelect:
    case Component.mentionableSelect:
    case Component.channelSelect:
      return readSelect(form, fields, path, seen, id)
    case Component.textDisplay:
      seen.text += [...(form.text(fields, "content", path, { min: 1, max: 4000, required: true }) ?? "")].length
      return { ...fields, id }
    case Component.section: {
      const inside = children("components", { min: 1, max: 3 })
      requireKinds(form, inside, [...path, "components"], [Component.textDisplay])
      if (fields["accessory"] === undefined) form.required([...path, "accessory"])
      else requireKinds(form, [fields["accessory"]], [...path, "accessory"], [Component.button, Component.thumbnail])
      if (fields["accessory"] !== undefined)
        return {
          ...fields,
          id,
          components: inside,
          accessory: readComponent(form, fields["accessory"], [...path, "accessory"], seen)
        }
      return { ...fields, id, components: inside }
    }
    case Component.container: {
      const inside = children("components", { min: 1, max: 40 })
      requireKinds(form, inside, [...path, "components"], inContainer)
      form.integer(fields, "accent_color", path, { min: 0, max: 0xffffff })
      return { accent_color: null, ...fields, id, components: inside, spoiler: fields["spoiler"] === true }
    }
    case Component.mediaGallery: {
      const items = form.list(fields, "items", path, { min: 1, max: 10 }) ?? []
      return {
        ...fields,
        id,
        items: items.map((item, index) => {
          const at = [...path, "items", index]
          const entry = form.object(item, at) ?? {}
          readMedia(form, entry, "media", at)
          return { ...entry, spoiler: entry["spoiler"] === true }
        })
      }
    }
    case Component.thumbnail:
      readMedia(form, fields, "media", path)
      return { ...fields, id, spoiler: fields["spoiler"] === true }
    case Component.file:
      readMedia(form, fields, "file", path)
      return { ...fields, id, spoiler: fields["spoiler"] === true }
    case Component.separator:
      form.choice(fields, "spacing", path, [1, 2])
      return { spacing: 1, divider: true, ...fields, id }
    default:
      form.add([...path, "type"], "BASE_TYPE_CHOICES", "Value must be the type of a message component.")
      return fields
  }
}

const inContainer: ReadonlyArray<unknown> = layouts.filter((kind) => kind !== Component.container)

/** Refuses components where their kind has no place. */
const requireKinds = (
  form: Form,
  components: ReadonlyArray<unknown>,
  path: Path,
  kinds: ReadonlyArray<unknown>
): void => {
  if (components.some((one) => !isJsonObject(one) || !kinds.includes(one["type"])))
    form.add(path, "UNION_TYPE_CHOICES", `Value of field "type" must be one of (${kinds.join(", ")}).`)
}

/** Pictures come from the web or from the message's own files, files only from there. */
const readMedia = (form: Form, fields: JsonObject, key: "media" | "file", path: Path): void => {
  const media = fields[key] === undefined ? undefined : form.object(fields[key], [...path, key])
  if (media === undefined) return fields[key] === undefined ? form.required([...path, key]) : undefined
  form.text(fields, "description", path, { max: 1024 })
  const url = form.text(media, "url", [...path, key], { min: 1, max: 2048, required: true })
  const schemes = key === "file" ? /^attachment:\/\// : /^(https?|attachment):\/\//
  if (url !== undefined && url !== "" && !schemes.test(url))
    form.add(
      [...path, key, "url"],
      "URL_TYPE_INVALID_SCHEME",
      `Scheme must be one of (${key === "file" ? "'attachment'" : "'http', 'https', 'attachment'"}).`
    )
}

const readButton = (form: Form, fields: JsonObject, path: Path, seen: Seen, id: number): JsonObject => {
  const style = form.choice(fields, "style", path, Object.values(ButtonKind))
  if (fields["style"] === undefined) form.required([...path, "style"])
  const label = form.text(fields, "label", path, { max: 80 })
  if (style === ButtonKind.link) {
    const url = form.text(fields, "url", path, { min: 1, max: 512, required: true })
    if (url !== undefined && !/^(https?|discord):\/\//.test(url))
      form.add([...path, "url"], "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https', 'discord').")
    if (fields["custom_id"] !== undefined)
      form.add(
        [...path, "custom_id"],
        "BUTTON_COMPONENT_CUSTOM_ID_NOT_ALLOWED",
        "A custom id and url cannot both be specified"
      )
  } else if (style === ButtonKind.premium) readPremium(form, fields, path)
  else {
    readCustomId(form, fields, path, seen)
    if (!label && !isJsonObject(fields["emoji"]))
      form.add(path, "BUTTON_COMPONENT_INVALID_STYLE", "A button must have a label or an emoji")
  }
  return { ...fields, id }
}

/** What Discord sells is shown by Discord: its button has nothing of its own. */
const readPremium = (form: Form, fields: JsonObject, path: Path): void => {
  if (fields["sku_id"] === undefined) form.required([...path, "sku_id"])
  else form.id(fields, "sku_id", path)
  for (const key of ["custom_id", "label", "url", "emoji"])
    if (fields[key] !== undefined && fields[key] !== null)
      form.add([...path, key], "BUTTON_COMPONENT_PREMIUM_FIELD_NOT_ALLOWED", `A premium button cannot have ${key}`)
}

const readSelect = (form: Form, fields: JsonObject, path: Path, seen: Seen, id: number): JsonObject => {
  readCustomId(form, fields, path, seen)
  const { max, min, options } = readSelection(form, fields, path)
  return { ...fields, id, min_values: min, max_values: max, ...(options === undefined ? {} : { options }) }
}

/** Checks what a select lets one choose, and how much of it. */
export const readSelection = (
  form: Form,
  fields: JsonObject,
  path: Path
): { readonly min: number; readonly max: number; readonly options: ReadonlyArray<JsonObject> | undefined } => {
  form.text(fields, "placeholder", path, { max: 150 })
  const { max, min } = readCounts(form, fields, path, 25)
  if (fields["type"] !== Component.stringSelect) {
    readDefaults(form, fields, path, { min, max })
    return { min, max, options: undefined }
  }
  const options = readChoices(form, fields, path, { min: Math.max(1, max), max: 25 })
  requireDefaults(form, options, [...path, "options"], max)
  return { min, max, options }
}

/** Checks how many may be chosen: from `min_values` to `max_values`, 1 unless given. */
export const readCounts = (
  form: Form,
  fields: JsonObject,
  path: Path,
  most: number,
  usual = 1
): { readonly min: number; readonly max: number } => {
  const min = form.integer(fields, "min_values", path, { min: 0, max: most }) ?? 1
  const max = form.integer(fields, "max_values", path, { min: 1, max: most }) ?? usual
  if (min > max && min <= most)
    form.add([...path, "min_values"], "NUMBER_TYPE_MAX", `int value should be less than or equal to ${max}.`)
  return { min, max }
}

/** Refuses more preselected options than may be chosen. */
export const requireDefaults = (form: Form, options: ReadonlyArray<JsonObject>, path: Path, max: number): void => {
  if (options.filter((option) => option["default"] === true).length > max)
    form.add(path, "SELECT_COMPONENT_TOO_MANY_DEFAULT_OPTIONS", `At most ${max} options can be selected by default`)
}

/** Which kind of thing each select of people, roles or channels offers. */
const offered: Readonly<Record<number, ReadonlyArray<string>>> = {
  [Component.userSelect]: ["user"],
  [Component.roleSelect]: ["role"],
  [Component.mentionableSelect]: ["user", "role"],
  [Component.channelSelect]: ["channel"]
}

const readDefaults = (
  form: Form,
  fields: JsonObject,
  path: Path,
  { max, min }: { readonly min: number; readonly max: number }
): void => {
  const list = form.list(fields, "default_values", path, { max: 25 }) ?? []
  if (list.length > 0 && (list.length < min || list.length > max))
    form.add([...path, "default_values"], "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`)
  list.forEach((one, index) => {
    const at = [...path, "default_values", index]
    const value = form.object(one, at) ?? {}
    if (value["id"] === undefined) form.required([...at, "id"])
    form.id(value, "id", at)
    if (value["type"] === undefined) form.required([...at, "type"])
    form.choice(value, "type", at, offered[Number(fields["type"])] ?? [])
  })
}

/** Checks the options of a select or of a group of radio buttons or checkboxes. */
export const readChoices = (
  form: Form,
  fields: JsonObject,
  path: Path,
  limits: { min: number; max: number }
): ReadonlyArray<JsonObject> => {
  const values = new Set<string>()
  return (form.list(fields, "options", path, limits) ?? []).map((entry, index) => {
    const at = [...path, "options", index]
    const option = form.object(entry, at)
    if (option === undefined) return {}
    form.text(option, "label", at, { min: 1, max: 100, required: true })
    form.text(option, "description", at, { max: 100 })
    const value = form.text(option, "value", at, { min: 1, max: 100, required: true })
    if (value !== undefined && values.has(value))
      form.add(
        [...at, "value"],
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        "The specified option value is already used"
      )
    if (value !== undefined) values.add(value)
    return option
  })
}

/** Checks a custom id: 1 to 100 characters, once per message or modal. */
export const readCustomId = (form: Form, fields: JsonObject, path: Path, seen: Pick<Seen, "customIds">): void => {
  const customId = form.text(fields, "custom_id", path, { min: 1, max: 100, required: true })
  if (customId === undefined) return
  if (seen.customIds.has(customId))
    form.add([...path, "custom_id"], "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
  seen.customIds.add(customId)
}
