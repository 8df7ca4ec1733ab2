import type { APIMessageTopLevelComponent } from "discord-api-types/v10"
import { ButtonKind, Component } from "../model/Constants.ts"
import { type ComponentIds, readComponentIds } from "./ComponentIds.ts"
import { readCustomId, readSelection } from "./Selects.ts"
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

/** Checks the components of a message; `isComponentsV2` allows the newer layouts (flag IS_COMPONENTS_V2). */
export const readComponents = (
  form: Form,
  body: JsonObject,
  isComponentsV2: boolean
): ReadonlyArray<APIMessageTopLevelComponent> | undefined => {
  const list = form.list(body, "components", [], { max: isComponentsV2 ? 40 : 5 })
  if (list === undefined) return undefined
  const ids = readComponentIds(form, list, ["components"])
  const totals: MessageTotals = { customIds: new Set(), count: 0, text: 0, ids }
  const components = list.map((value, index) => {
    const path = ["components", index]
    const type = isJsonObject(value) ? value["type"] : undefined
    if (!(isComponentsV2 ? layouts.includes(type) : type === Component.actionRow))
      form.addError(
        [...path, "type"],
        "UNION_TYPE_CHOICES",
        `Value of field "type" must be one of (${isComponentsV2 ? layouts.join(", ") : "1"}).`
      )
    return readComponent(form, value, path, totals)
  })
  if (isComponentsV2 && totals.count > 40)
    form.addError(
      ["components"],
      "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
      "The total number of components exceeds 40"
    )
  if (isComponentsV2 && totals.text > 4000)
    form.addError(
      ["components"],
      "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
      "The total text of components exceeds 4000"
    )
  return checkedAs(components)
}

interface MessageTotals {
  readonly customIds: Set<string>
  count: number
  text: number
  readonly ids: ComponentIds
}

/** A component to check, its place in the body, and its number in the message. */
interface ComponentContext {
  readonly form: Form
  readonly fields: JsonObject
  readonly path: Path
  readonly totals: MessageTotals
  readonly id: number
}

const readComponent = (form: Form, value: unknown, path: Path, totals: MessageTotals): JsonObject => {
  const fields = form.object(value, path)
  if (fields === undefined) return {}
  totals.count++
  const component = { form, fields, path, totals, id: totals.ids(fields) }
  const read = readers[String(fields["type"])]
  if (read !== undefined) return read(component)
  form.addError([...path, "type"], "BASE_TYPE_CHOICES", "Value must be the type of a message component.")
  return fields
}

const readChildren = (
  { fields, form, path, totals }: ComponentContext,
  limits: { min: number; max: number }
): ReadonlyArray<JsonObject> =>
  (form.list(fields, "components", path, limits) ?? []).map((child, index) =>
    readComponent(form, child, [...path, "components", index], totals)
  )

const readActionRow = (component: ComponentContext): JsonObject => {
  const { fields, form, id, path } = component
  const components = readChildren(component, { min: 1, max: 5 })
  const kinds = components.map((child) => child["type"])
  const at = [...path, "components"]
  if (kinds.some((kind) => kind !== Component.button && !selects.includes(kind)))
    form.addError(at, "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (2, 3, 5, 6, 7, 8).')
  else if (kinds.some((kind) => selects.includes(kind)) && kinds.length > 1)
    form.addError(at, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
  return { ...fields, id, components }
}

const readTextDisplay = ({ fields, form, id, path, totals }: ComponentContext): JsonObject => {
  totals.text += [...(form.text(fields, "content", path, { min: 1, max: 4000, required: true }) ?? "")].length
  return { ...fields, id }
}

const readSection = (component: ComponentContext): JsonObject => {
  const { fields, form, id, path, totals } = component
  const components = readChildren(component, { min: 1, max: 3 })
  requireKinds(form, components, [...path, "components"], [Component.textDisplay])
  const at = [...path, "accessory"]
  const { accessory } = fields
  if (accessory === undefined) {
    form.addRequiredError(at)
    return { ...fields, id, components }
  }
  requireKinds(form, [accessory], at, [Component.button, Component.thumbnail])
  return { ...fields, id, components, accessory: readComponent(form, accessory, at, totals) }
}

const readContainer = (component: ComponentContext): JsonObject => {
  const { fields, form, id, path } = component
  const components = readChildren(component, { min: 1, max: 40 })
  requireKinds(form, components, [...path, "components"], inContainer)
  form.integer(fields, "accent_color", path, { min: 0, max: 0xffffff })
  return { accent_color: null, ...fields, id, components, spoiler: fields["spoiler"] === true }
}

const readMediaGallery = ({ fields, form, id, path }: ComponentContext): JsonObject => {
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

const readMediaComponent =
  (key: "media" | "file") =>
  ({ fields, form, id, path }: ComponentContext): JsonObject => {
    readMedia(form, fields, key, path)
    return { ...fields, id, spoiler: fields["spoiler"] === true }
  }

const readSeparator = ({ fields, form, id, path }: ComponentContext): JsonObject => {
  form.choice(fields, "spacing", path, [1, 2])
  return { spacing: 1, divider: true, ...fields, id }
}

const inContainer: ReadonlyArray<unknown> = layouts.filter((kind) => kind !== Component.container)

/** Adds an error when a component has none of these types. */
const requireKinds = (
  form: Form,
  components: ReadonlyArray<unknown>,
  path: Path,
  kinds: ReadonlyArray<unknown>
): void => {
  if (components.some((component) => !isJsonObject(component) || !kinds.includes(component["type"])))
    form.addError(path, "UNION_TYPE_CHOICES", `Value of field "type" must be one of (${kinds.join(", ")}).`)
}

/** Media may be web addresses or attachments of the message; files only attachments. */
const readMedia = (form: Form, fields: JsonObject, key: "media" | "file", path: Path): void => {
  const media = fields[key] === undefined ? undefined : form.object(fields[key], [...path, key])
  if (media === undefined) return fields[key] === undefined ? form.addRequiredError([...path, key]) : undefined
  form.text(fields, "description", path, { max: 1024 })
  const url = form.text(media, "url", [...path, key], { min: 1, max: 2048, required: true })
  const schemes = key === "file" ? /^attachment:\/\// : /^(https?|attachment):\/\//
  if (url !== undefined && url !== "" && !schemes.test(url))
    form.addError(
      [...path, key, "url"],
      "URL_TYPE_INVALID_SCHEME",
      `Scheme must be one of (${key === "file" ? "'attachment'" : "'http', 'https', 'attachment'"}).`
    )
}

const readButton = ({ fields, form, id, path, totals }: ComponentContext): JsonObject => {
  const style = form.choice(fields, "style", path, Object.values(ButtonKind))
  if (fields["style"] === undefined) form.addRequiredError([...path, "style"])
  const label = form.text(fields, "label", path, { max: 80 })
  if (style === ButtonKind.link) {
    const url = form.text(fields, "url", path, { min: 1, max: 512, required: true })
    if (url !== undefined && !/^(https?|discord):\/\//.test(url))
      form.addError([...path, "url"], "URL_TYPE_INVALID_SCHEME", "Scheme must be one of ('http', 'https', 'discord').")
    if (fields["custom_id"] !== undefined)
      form.addError(
        [...path, "custom_id"],
        "BUTTON_COMPONENT_CUSTOM_ID_NOT_ALLOWED",
        "A custom id and url cannot both be specified"
      )
  } else if (style === ButtonKind.premium) readPremium(form, fields, path)
  else {
    readCustomId(form, fields, path, totals)
    if (!label && !isJsonObject(fields["emoji"]))
      form.addError(path, "BUTTON_COMPONENT_INVALID_STYLE", "A button must have a label or an emoji")
  }
  return { ...fields, id }
}

/** A premium button has only a SKU. */
const readPremium = (form: Form, fields: JsonObject, path: Path): void => {
  if (fields["sku_id"] === undefined) form.addRequiredError([...path, "sku_id"])
  else form.id(fields, "sku_id", path)
  for (const key of ["custom_id", "label", "url", "emoji"])
    if (fields[key] !== undefined && fields[key] !== null)
      form.addError([...path, key], "BUTTON_COMPONENT_PREMIUM_FIELD_NOT_ALLOWED", `A premium button cannot have ${key}`)
}

const readSelect = ({ fields, form, id, path, totals }: ComponentContext): JsonObject => {
  readCustomId(form, fields, path, totals)
  const { max, min, options } = readSelection(form, fields, path)
  return { ...fields, id, min_values: min, max_values: max, ...(options === undefined ? {} : { options }) }
}

/** How each type of component is checked and completed. */
const readers: Readonly<Record<string, (component: ComponentContext) => JsonObject>> = {
  [Component.actionRow]: readActionRow,
  [Component.button]: readButton,
  [Component.stringSelect]: readSelect,
  [Component.userSelect]: readSelect,
  [Component.roleSelect]: readSelect,
  [Component.mentionableSelect]: readSelect,
  [Component.channelSelect]: readSelect,
  [Component.textDisplay]: readTextDisplay,
  [Component.section]: readSection,
  [Component.container]: readContainer,
  [Component.mediaGallery]: readMediaGallery,
  [Component.thumbnail]: readMediaComponent("media"),
  [Component.file]: readMediaComponent("file"),
  [Component.separator]: readSeparator
}
