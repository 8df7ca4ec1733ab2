import type { APIApplicationCommandOptionChoice } from "discord-api-types/v10"
import { Callback, InteractionKind } from "../model/Constants.ts"
import type { StoredInteraction } from "../model/Records.ts"
import { DiscordError } from "../model/DiscordError.ts"
import { Form } from "./Form.ts"

/** The error for a first response that its interaction does not allow. */
export const invalidCallback = (message: string): DiscordError =>
  new DiscordError(400, 50035, "Invalid Form Body", {
    type: { _errors: [{ code: "INTERACTION_APPLICATION_COMMAND_CALLBACK_TYPE_INVALID", message }] }
  })

/** Checks that an interaction allows a callback type. */
export const checkCallbackType = (interaction: StoredInteraction, type: unknown): void => {
  const callbackTypes: ReadonlyArray<unknown> = Object.values(Callback)
  if (!callbackTypes.includes(type)) throw invalidCallback(`Value must be one of (${callbackTypes.join(", ")}).`)
  const isAutocomplete = interaction.type === InteractionKind.autocomplete
  if (isAutocomplete !== (type === Callback.autocomplete))
    throw invalidCallback("Choices answer an autocomplete interaction, and only that.")
  if (type === Callback.modal && interaction.type === InteractionKind.modal)
    throw invalidCallback("A modal cannot answer the submit of a modal.")
  const isUpdate = type === Callback.update || type === Callback.deferredUpdate
  if (isUpdate && interaction.sourceId === undefined)
    throw invalidCallback("This interaction has no message to update.")
}

/** Checks the suggestions for an option: at most 25. */
export const readAutocomplete = (data: unknown): ReadonlyArray<APIApplicationCommandOptionChoice> => {
  const form = new Form()
  const fields = form.object(data ?? {}, ["data"]) ?? {}
  const choices = (form.list(fields, "choices", ["data"], { max: 25 }) ?? []).map((entry, index) => {
    const path = ["data", "choices", index]
    const choice = form.object(entry, path) ?? {}
    const name = form.text(choice, "name", path, { min: 1, max: 100, required: true }) ?? ""
    if (typeof choice["value"] === "number") return { name, value: choice["value"] }
    return { name, value: form.text(choice, "value", path, { max: 100, required: true }) ?? "" }
  })
  form.throwIfInvalid()
  return choices
}
