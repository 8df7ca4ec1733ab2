import { Form } from "../../validate/Form.ts"

/** Checks the `name` of a webhook: 1 to 80 characters, without Discord's own names. */
export const readWebhookName = (body: unknown, required: boolean): string | undefined => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 80, required })
  checkWebhookName(form, name, "name")
  form.throwIfInvalid()
  return name
}

/** Adds an error for a name that contains `clyde` or `discord`. */
export const checkWebhookName = (form: Form, name: string | undefined, key: string): void => {
  const word = /clyde|discord/i.exec(name ?? "")?.[0].toLowerCase()
  if (word !== undefined) form.addError([key], "USERNAME_INVALID_CONTAINS", `Username cannot contain "${word}"`)
}
