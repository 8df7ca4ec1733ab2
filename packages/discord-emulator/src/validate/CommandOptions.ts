import { OptionType } from "../model/Constants.ts"
import { type JsonObject, Form, isJsonObject, type Path, formatValue } from "./Form.ts"
import { readLocalizations } from "./Localizations.ts"

/** Checks translations by the rules of the texts that they replace. */
export const readTranslations = (form: Form, fields: JsonObject, path: Path, isSlash: boolean): void => {
  readLocalizations(form, fields, "name_localizations", path, (texts, locale, at) =>
    readName(form, texts, at, isSlash, locale)
  )
  readLocalizations(form, fields, "description_localizations", path, (texts, locale, at) =>
    form.text(texts, locale, at, { min: 1, max: 100 })
  )
}

/** Checks a name: 1 to 32 characters, and for slash commands and options only what can be typed without blanks. */
export const readName = (form: Form, fields: JsonObject, path: Path, isSlash: boolean, key = "name"): void => {
  const name = form.text(fields, key, path, { min: 1, max: 32, required: true })
  if (name === undefined || !isSlash) return
  if (!slashName.test(name) || name !== name.toLowerCase())
    form.addError(
      [...path, key],
      "APPLICATION_COMMAND_INVALID_NAME",
      "Command name is invalid: lower case letters, digits, - and _ only"
    )
}

/** Checks the options of a slash command, group or subcommand; `parentType` is the type of a containing option. */
export const readOptions = (
  form: Form,
  fields: JsonObject,
  path: Path,
  parentType?: number
): ReadonlyArray<JsonObject> | undefined => {
  const list = form.list(fields, "options", path, { max: 25 })
  if (list === undefined) return undefined
  const names = new Set<unknown>()
  let hasOptional = false
  const firstType = isJsonObject(list[0]) ? list[0]["type"] : undefined
  return list.map((value, index) => {
    const at = [...path, "options", index]
    const option = form.object(value, at) ?? {}
    const type = form.choice(option, "type", at, Object.values(OptionType))
    if (option["type"] === undefined) form.addRequiredError([...at, "type"])
    readName(form, option, at, true)
    if (names.has(option["name"]))
      form.addError(
        [...at, "name"],
        "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS",
        `Option name ${String(option["name"])} already used in these options`
      )
    names.add(option["name"])
    form.text(option, "description", at, { min: 1, max: 100, required: true })
    readTranslations(form, option, at, true)
    checkNesting(form, { type, firstType, parentType }, at)
    if (isNesting(type)) return { ...option, options: readOptions(form, option, at, type) ?? [] }
    if (option["required"] === true && hasOptional)
      form.addError(
        at,
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
        "Required options must be placed before non-required options"
      )
    if (option["required"] !== true) hasOptional = true
    readBounds(form, option, at, type)
    readChoices(form, option, at, type)
    return option
  })
}

const slashName = /^[-_'\p{L}\p{N}\p{sc=Devanagari}\p{sc=Thai}]{1,32}$/u

const isNesting = (type: unknown): boolean => type === OptionType.subcommand || type === OptionType.group

/** Subcommands and groups never stand beside other options; a group contains only subcommands. */
const checkNesting = (
  form: Form,
  {
    parentType,
    firstType,
    type
  }: { readonly type: unknown; readonly firstType: unknown; readonly parentType?: number | undefined },
  at: Path
): void => {
  const code = "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"
  if (parentType === OptionType.subcommand && isNesting(type))
    form.addError(at, code, "Sub-commands cannot hold sub-commands or sub-command groups")
  else if (parentType === OptionType.group && type !== OptionType.subcommand)
    form.addError(at, code, "Sub-command groups can only hold sub-commands")
  else if (isNesting(type) !== isNesting(firstType))
    form.addError(at, code, "Sub-command and sub-command group option types are mutually exclusive to all other types")
}

/** Checks the bounds of numbers and lengths. */
const readBounds = (form: Form, option: JsonObject, at: Path, type: unknown): void => {
  const minLength = form.integer(option, "min_length", at, { min: 0, max: 6000 })
  const maxLength = form.integer(option, "max_length", at, { min: 1, max: 6000 })
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength)
    form.addError(
      [...at, "max_length"],
      "APPLICATION_COMMAND_OPTION_LENGTH_INVALID",
      "max_length must be greater than or equal to min_length"
    )
  if ((minLength !== undefined || maxLength !== undefined) && type !== OptionType.string)
    form.addError(at, "APPLICATION_COMMAND_OPTION_LENGTH_INVALID", "Lengths can only be set for string options")
  const bounds = (["min_value", "max_value"] as const).map((key) => {
    const value = option[key]
    if (value === undefined || value === null) return undefined
    if (isValue(type, value) && type !== OptionType.string) return Number(value)
    form.addError([...at, key], "APPLICATION_COMMAND_OPTION_VALUE_INVALID", "Limits must be of the type of the option")
    return undefined
  })
  const [min, max] = bounds
  if (min !== undefined && max !== undefined && min > max)
    form.addError(
      [...at, "max_value"],
      "APPLICATION_COMMAND_OPTION_VALUE_INVALID",
      "max_value must be greater than or equal to min_value"
    )
}

/** Whether a value can be that of an option which takes choices. */
const isValue = (type: unknown, value: unknown): boolean =>
  type === OptionType.string
    ? typeof value === "string"
    : type === OptionType.integer
      ? Number.isSafeInteger(value)
      : type === OptionType.number && typeof value === "number"

/** Choices, or suggestions while typing, for texts and numbers; never both. */
const readChoices = (form: Form, option: JsonObject, at: Path, type: unknown): void => {
  const takesChoices = type === OptionType.string || type === OptionType.integer || type === OptionType.number
  const list = form.list(option, "choices", at, { max: 25 }) ?? []
  const hasAutocomplete = option["autocomplete"] === true
  if (hasAutocomplete && list.length > 0)
    form.addError(
      [...at, "autocomplete"],
      "APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID",
      "Autocomplete and choices are mutually exclusive"
    )
  if (!takesChoices && (hasAutocomplete || list.length > 0))
    form.addError(
      [...at, hasAutocomplete ? "autocomplete" : "choices"],
      "APPLICATION_COMMAND_OPTION_TYPE_INVALID",
      "Only string, integer and number options take choices or autocomplete"
    )
  const names = new Set<unknown>()
  list.forEach((entry, choiceIndex) => {
    const path = [...at, "choices", choiceIndex]
    const choice = form.object(entry, path) ?? {}
    const { name, value } = choice
    form.text(choice, "name", path, { min: 1, max: 100, required: true })
    readLocalizations(form, choice, "name_localizations", path, (texts, locale, within) =>
      form.text(texts, locale, within, { min: 1, max: 100 })
    )
    if (names.has(name))
      form.addError(
        [...path, "name"],
        "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS",
        "Choice names must be unique within an option"
      )
    names.add(name)
    if (value === undefined) form.addRequiredError([...path, "value"])
    else if (takesChoices && !isValue(type, value))
      form.addError(
        [...path, "value"],
        type === OptionType.string ? "STRING_TYPE_CONVERT" : "NUMBER_TYPE_COERCE",
        `Value "${formatValue(value)}" is not of the type of the option.`
      )
    else if (typeof value === "string") form.text(choice, "value", path, { max: 100 })
  })
}
