import type { APIModalInteractionResponseCallbackData } from "discord-api-types/v10"
import { Component } from "../model/Constants.ts"
import { type ComponentIds, readComponentIds } from "./ComponentIds.ts"
import { requireDefaultLimit, readChoices, readCounts, readCustomId, readSelection } from "./Selects.ts"
import { checkedAs, type JsonObject, Form, type Path } from "./Form.ts"

/** Checks a modal and numbers its 1 to 5 components: each a label, a row with a text input, or a text display. */
export const readModal = (data: unknown): APIModalInteractionResponseCallbackData => {
  const form = new Form()
  const fields = form.object(data, ["data"]) ?? {}
  const path: Path = ["data"]
  const seen = { customIds: new Set<string>() }
  form.text(fields, "title", path, { min: 1, max: 45, required: true })
  form.text(fields, "custom_id", path, { min: 1, max: 100, required: true })
  const list = form.list(fields, "components", path, { min: 1, max: 5 }) ?? []
  const ids = readComponentIds(form, list, [...path, "components"])
  const components = list.map((value, index) => {
    const at = [...path, "components", index]
    const part = form.object(value, at) ?? {}
    const id = ids(part)
    switch (part["type"]) {
      case Component.label: {
        form.text(part, "label", at, { min: 1, max: 45, required: true })
        form.text(part, "description", at, { max: 100 })
        return { ...part, id, component: readInput(form, part["component"], [...at, "component"], seen, ids) }
      }
      case Component.actionRow: {
        const children = form.list(part, "components", at, { min: 1, max: 1 }) ?? []
        return {
          ...part,
          id,
          components: children.map((child, childIndex) => {
            const input = readInput(form, child, [...at, "components", childIndex], seen, ids)
            form.text(input, "label", [...at, "components", childIndex], { min: 1, max: 45, required: true })
            return input
          })
        }
      }
      case Component.textDisplay:
        form.text(part, "content", at, { min: 1, max: 4000, required: true })
        return { ...part, id }
      default:
        form.addError([...at, "type"], "UNION_TYPE_CHOICES", 'Value of field "type" must be one of (1, 10, 18).')
        return part
    }
  })
  form.throwIfInvalid()
  return checkedAs({ ...fields, components })
}

const readInput = (
  form: Form,
  value: unknown,
  path: Path,
  seen: { readonly customIds: Set<string> },
  ids: ComponentIds
): JsonObject => {
  const fields = form.object(value, path)
  if (fields === undefined) return {}
  const id = ids(fields)
  readCustomId(form, fields, path, seen)
  switch (fields["type"]) {
    case Component.textInput:
      readTextInput(form, fields, path)
      break
    case Component.radioGroup:
      requireDefaultLimit(form, readChoices(form, fields, path, { min: 2, max: 10 }), [...path, "options"], 1)
      break
    case Component.checkboxGroup: {
      const options = readChoices(form, fields, path, { min: 1, max: 10 })
      const { max } = readCounts(form, fields, path, 10, options.length)
      requireDefaultLimit(form, options, [...path, "options"], max)
      break
    }
    case Component.stringSelect:
    case Component.userSelect:
    case Component.roleSelect:
    case Component.mentionableSelect:
    case Component.channelSelect:
      readSelection(form, fields, path)
      break
    case Component.fileUpload:
      readCounts(form, fields, path, 10)
      break
    case Component.checkbox:
      break
    default:
      form.addError(
        [...path, "type"],
        "UNION_TYPE_CHOICES",
        'Value of field "type" must be one of (3, 4, 5, 6, 7, 8, 19, 21, 22, 23).'
      )
  }
  return { ...fields, id }
}

const readTextInput = (form: Form, fields: JsonObject, path: Path): void => {
  form.choice(fields, "style", path, [1, 2])
  if (fields["style"] === undefined) form.addRequiredError([...path, "style"])
  const minLength = form.integer(fields, "min_length", path, { min: 0, max: 4000 }) ?? 0
  const maxLength = form.integer(fields, "max_length", path, { min: 1, max: 4000 }) ?? 4000
  if (minLength > maxLength && minLength <= 4000)
    form.addError([...path, "min_length"], "NUMBER_TYPE_MAX", `int value should be less than or equal to ${maxLength}.`)
  form.text(fields, "placeholder", path, { max: 100 })
  form.text(fields, "value", path, { max: 4000 })
}
