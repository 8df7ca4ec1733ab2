import type { Context } from "../context/Context.ts"
import { type JsonObject, isJsonObject } from "../validate/Form.ts"
import { Component } from "../model/Constants.ts"
import { ActorError } from "./ActorError.ts"
import type { PickedFile } from "./CommandInput.ts"
import { readSelection } from "./ComponentInput.ts"

/** The values that a person enters in a modal, by custom id. */
export type ModalValues = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Checks the values of a modal as Discord's client does, and returns the `data` of the interaction. */
export const readModalInput = (
  context: Context,
  modal: unknown,
  values: ModalValues,
  files: Readonly<Record<string, ReadonlyArray<PickedFile>>> = {}
): JsonObject => {
  if (!isJsonObject(modal)) throw new ActorError("There is no open modal")
  const rows = Array.isArray(modal["components"]) ? modal["components"].filter(isJsonObject) : []
  const inputs = rows.flatMap(inputsOf)
  const customIds = inputs.map((input) => String(input["custom_id"]))
  const unknown = [...Object.keys(values), ...Object.keys(files)].find((key) => !customIds.includes(key))
  if (unknown !== undefined) throw new ActorError(`The modal has no input ${unknown}. It has: ${customIds.join(", ")}`)
  const resolved: Record<string, Record<string, unknown>> = {}
  const readRowInput = (input: JsonObject): JsonObject => readInput(context, input, values, files, resolved)
  const components = rows.map((row): JsonObject => {
    const shared = { type: row["type"], id: row["id"] }
    if (row["type"] === Component.label) return { ...shared, component: inputsOf(row).map(readRowInput)[0] }
    if (row["type"] === Component.actionRow) return { ...shared, components: inputsOf(row).map(readRowInput) }
    return shared
  })
  return {
    custom_id: modal["custom_id"],
    components,
    ...(Object.keys(resolved).length === 0 ? {} : { resolved })
  }
}

const inputsOf = (row: JsonObject): ReadonlyArray<JsonObject> =>
  (Array.isArray(row["components"]) ? row["components"] : [row["component"]]).filter(isJsonObject)

const readInput = (
  context: Context,
  input: JsonObject,
  values: ModalValues,
  files: Readonly<Record<string, ReadonlyArray<PickedFile>>>,
  resolved: Record<string, Record<string, unknown>>
): JsonObject => {
  const name = String(input["custom_id"])
  const shared = { type: input["type"], id: input["id"], custom_id: name }
  const entered = values[name]
  const required = input["required"] !== false
  const selected = entered === undefined || entered === "" ? [] : typeof entered === "string" ? [entered] : entered
  switch (input["type"]) {
    case Component.textInput: {
      const text = entered === undefined ? String(input["value"] ?? "") : String(entered)
      if (required && text === "") throw new ActorError(`${name} is required`)
      const min = text === "" && !required ? 0 : Number(input["min_length"] ?? 0)
      const max = Number(input["max_length"] ?? 4000)
      if (text.length < min || text.length > max)
        throw new ActorError(`${name} takes ${min} to ${max} characters, not ${text.length}`)
      return { ...shared, value: text }
    }
    case Component.radioGroup: {
      if (required && selected.length === 0) throw new ActorError(`${name}: choose one`)
      if (selected.length > 0)
        readSelection(context, { ...input, type: Component.stringSelect, min_values: 1, max_values: 1 }, selected)
      return { ...shared, value: selected[0] ?? null }
    }
    case Component.checkbox:
      return { ...shared, value: selected[0] === "true" || (entered === undefined && input["default"] === true) }
    case Component.fileUpload: {
      const selectedFiles = files[name] ?? []
      const min = required ? Number(input["min_values"] ?? 1) : 0
      if (selectedFiles.length < min || selectedFiles.length > Number(input["max_values"] ?? 1))
        throw new ActorError(
          `${name} takes ${min} to ${Number(input["max_values"] ?? 1)} files, not ${selectedFiles.length}`
        )
      const uploads = selectedFiles.map((file) =>
        context.messages.upload({ field: "0", name: file.name, data: file.data, contentType: file.contentType })
      )
      for (const file of uploads)
        resolved["attachments"] = {
          ...resolved["attachments"],
          [file.id]: { ...context.render.attachment("0", file), ephemeral: true }
        }
      return { ...shared, values: uploads.map((file) => file.id) }
    }
    default: {
      if (selected.length === 0 && !required) return { ...shared, values: [] }
      const options = Array.isArray(input["options"]) ? input["options"].length : 1
      const maxValues = input["type"] === Component.checkboxGroup ? { max_values: input["max_values"] ?? options } : {}
      const selection = readSelection(context, { ...input, ...maxValues }, selected)
      for (const [kind, entries] of Object.entries(selection.resolved ?? {}))
        resolved[kind] = { ...resolved[kind], ...(isJsonObject(entries) ? entries : {}) }
      return { ...shared, values: selection.values }
    }
  }
}
