import { Component } from "../model/Constants.ts"
import { type Form, type JsonObject, type Path } from "./Form.ts"

/** Checks the options of a select, and how many may be chosen. */
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
  requireDefaultLimit(form, options, [...path, "options"], max)
  return { min, max, options }
}

/** Checks `min_values` and `max_values`, each 1 unless given. */
export const readCounts = (
  form: Form,
  fields: JsonObject,
  path: Path,
  maxCount: number,
  defaultMax = 1
): { readonly min: number; readonly max: number } => {
  const min = form.integer(fields, "min_values", path, { min: 0, max: maxCount }) ?? 1
  const max = form.integer(fields, "max_values", path, { min: 1, max: maxCount }) ?? defaultMax
  if (min > max && min <= maxCount)
    form.addError([...path, "min_values"], "NUMBER_TYPE_MAX", `int value should be less than or equal to ${max}.`)
  return { min, max }
}

/** Adds an error when more options are selected by default than may be chosen. */
export const requireDefaultLimit = (form: Form, options: ReadonlyArray<JsonObject>, path: Path, max: number): void => {
  if (options.filter((option) => option["default"] === true).length > max)
    form.addError(
      path,
      "SELECT_COMPONENT_TOO_MANY_DEFAULT_OPTIONS",
      `At most ${max} options can be selected by default`
    )
}

/** The types of default values that each select accepts. */
const defaultValueTypes: Readonly<Record<number, ReadonlyArray<string>>> = {
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
    form.addError([...path, "default_values"], "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${max} in length.`)
  list.forEach((one, index) => {
    const at = [...path, "default_values", index]
    const value = form.object(one, at) ?? {}
    if (value["id"] === undefined) form.addRequiredError([...at, "id"])
    form.id(value, "id", at)
    if (value["type"] === undefined) form.addRequiredError([...at, "type"])
    form.choice(value, "type", at, defaultValueTypes[Number(fields["type"])] ?? [])
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
      form.addError(
        [...at, "value"],
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        "The specified option value is already used"
      )
    if (value !== undefined) values.add(value)
    return option
  })
}

/** Checks a custom id: 1 to 100 characters, once per message or modal. */
export const readCustomId = (
  form: Form,
  fields: JsonObject,
  path: Path,
  seen: { readonly customIds: Set<string> }
): void => {
  const customId = form.text(fields, "custom_id", path, { min: 1, max: 100, required: true })
  if (customId === undefined) return
  if (seen.customIds.has(customId))
    form.addError([...path, "custom_id"], "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
  seen.customIds.add(customId)
}
