import type { APIEmbed, APIMessageTopLevelComponent } from "discord-api-types/v10"
import { Flag, MessageReferenceType } from "../model/Constants.ts"
import { DiscordError, type FieldErrors, apiErrors } from "../model/DiscordError.ts"
import { readComponents } from "./Components.ts"
import { readEmbeds } from "./Embeds.ts"
import { type JsonObject, Form, isJsonObject, formatValue } from "./Form.ts"

/** The users and roles that a message may notify. */
export interface AllowedMentions {
  readonly parse: ReadonlyArray<string>
  readonly users: ReadonlyArray<string>
  readonly roles: ReadonlyArray<string>
  readonly repliedUser: boolean
}

/** An entry of `attachments`: a stored file by its id, or a new one by the number of its file part. */
interface AttachmentEntry {
  readonly id: string
  readonly filename: string | undefined
  readonly description: string | undefined
}

/** A checked message body. Absent fields are `undefined`: an edit leaves them as they are. */
export interface MessageBody {
  readonly content: string | undefined
  readonly embeds: ReadonlyArray<APIEmbed> | undefined
  readonly components: ReadonlyArray<APIMessageTopLevelComponent> | undefined
  readonly attachments: ReadonlyArray<AttachmentEntry> | undefined
  readonly flags: number | undefined
  readonly allowedMentions: AllowedMentions | undefined
  readonly nonce: string | number | undefined
  readonly enforceNonce: boolean
  readonly replyTo: { readonly messageId: string; readonly failIfNotExists: boolean } | undefined
  readonly forward: { readonly channelId: string; readonly messageId: string } | undefined
  readonly tts: boolean
}

/** Checks the body of a message or of an edit; throws 50035 with every error in it. */
export const readMessageBody = (body: unknown, stored: { readonly flags: number } = { flags: 0 }): MessageBody => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const flags = form.integer(fields, "flags", [], { min: 0, max: 2 ** 31 - 1 })
  const isComponentsV2 = (((flags ?? 0) | stored.flags) & Flag.componentsV2) !== 0
  const content = fields["content"] === null ? "" : form.text(withTextContent(fields), "content", [], { max: 2000 })
  const embeds = fields["embeds"] === null ? [] : readEmbeds(form, fields)
  const components = fields["components"] === null ? [] : readComponents(form, fields, isComponentsV2)
  if (isComponentsV2) {
    if (content)
      form.addError(["content"], "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", legacyFieldMessage("content"))
    if (embeds !== undefined && embeds.length > 0)
      form.addError(["embeds"], "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", legacyFieldMessage("embeds"))
  }
  const nonce = fields["nonce"]
  if (typeof nonce === "string") form.text(fields, "nonce", [], { max: 25 })
  else form.integer(fields, "nonce", [], { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
  const attachments = readAttachments(form, fields)
  const allowedMentions = readAllowedMentions(form, fields)
  const reference = readReference(form, fields)
  const stickers = form.list(fields, "sticker_ids", [], { max: 3 }) ?? []
  form.throwIfInvalid()
  // The emulator cannot show polls and stickers, so it refuses them.
  if (fields["poll"] !== undefined && fields["poll"] !== null) throw apiErrors.noPollsHere()
  if (stickers.length > 0) throw apiErrors.invalidSticker()
  return {
    content: content?.trim(),
    embeds,
    components,
    attachments,
    flags,
    allowedMentions,
    nonce: typeof nonce === "string" || typeof nonce === "number" ? nonce : undefined,
    enforceNonce: fields["enforce_nonce"] === true,
    tts: fields["tts"] === true,
    ...reference
  }
}

/** The error for `content` or `embeds` in a message with components V2. */
export const legacyFieldsError = (names: ReadonlyArray<string>): DiscordError => {
  const code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
  const errors: FieldErrors = {}
  for (const name of names) errors[name] = { _errors: [{ code, message: legacyFieldMessage(name) }] }
  return new DiscordError(400, 50035, "Invalid Form Body", errors)
}

const legacyFieldMessage = (name: string): string =>
  `The '${name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`

/** Discord accepts a number as content. */
const withTextContent = (fields: JsonObject): JsonObject =>
  typeof fields["content"] === "number" ? { ...fields, content: String(fields["content"]) } : fields

const readAttachments = (form: Form, fields: JsonObject): ReadonlyArray<AttachmentEntry> | undefined => {
  if (fields["attachments"] === null) return []
  return form.list(fields, "attachments", [], { max: 10 })?.map((value, index) => {
    const path = ["attachments", index]
    const entry = form.object(value, path) ?? {}
    return {
      id: formatValue(entry["id"] ?? index),
      filename: form.text(entry, "filename", path, { max: 1024 }),
      description: form.text(entry, "description", path, { max: 1024 })
    }
  })
}

const readAllowedMentions = (form: Form, fields: JsonObject): AllowedMentions | undefined => {
  const value = fields["allowed_mentions"]
  if (!isJsonObject(value)) return undefined
  const strings = (key: string): ReadonlyArray<string> => {
    const list = value[key]
    return Array.isArray(list) ? list.map(formatValue) : []
  }
  const allowed = {
    parse: strings("parse"),
    users: strings("users"),
    roles: strings("roles"),
    repliedUser: value["replied_user"] === true
  }
  const path = ["allowed_mentions"]
  const kinds: ReadonlyArray<string> = ["everyone", "users", "roles"]
  allowed.parse.forEach((_, index) => form.choice({ ...allowed.parse }, String(index), [...path, "parse"], kinds))
  for (const key of ["users", "roles"] as const) {
    allowed[key].forEach((_, index) => form.id({ ...allowed[key] }, String(index), [...path, key]))
    if (allowed.parse.includes(key) && allowed[key].length > 0)
      form.addError(
        path,
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        `parse:["${key}"] and ${key}: [ids...] are mutually exclusive.`
      )
    form.list(value, key, path, { max: 100 })
  }
  return allowed
}

const readReference = (form: Form, fields: JsonObject): Pick<MessageBody, "forward" | "replyTo"> => {
  const path = ["message_reference"]
  const value = fields["message_reference"]
  const reference = value === undefined || value === null ? undefined : form.object(value, path)
  if (reference === undefined) return { replyTo: undefined, forward: undefined }
  const type = form.choice(reference, "type", path, Object.values(MessageReferenceType))
  const messageId = form.id(reference, "message_id", path)
  const channelId = form.id(reference, "channel_id", path)
  if (type !== MessageReferenceType.forward)
    return {
      replyTo:
        messageId === undefined ? undefined : { messageId, failIfNotExists: reference["fail_if_not_exists"] !== false },
      forward: undefined
    }
  if (messageId === undefined) form.addRequiredError([...path, "message_id"])
  if (channelId === undefined) form.addRequiredError([...path, "channel_id"])
  return {
    replyTo: undefined,
    forward: messageId === undefined || channelId === undefined ? undefined : { channelId, messageId }
  }
}
