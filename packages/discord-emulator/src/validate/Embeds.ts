import type { APIEmbed } from "discord-api-types/v10"
import { type JsonObject, type Form, isJsonObject, type Path, formatValue } from "./Form.ts"

/** Checks the embeds of a message, and returns them as Discord does. */
export const readEmbeds = (form: Form, body: JsonObject): ReadonlyArray<APIEmbed> | undefined => {
  const list = form.list(body, "embeds", [], { max: 10 })
  if (list === undefined) return undefined
  const embeds = list.map((value, index) => readEmbed(form, value, ["embeds", index]))
  const total = embeds.reduce((sum, embed) => sum + sizeOf(embed), 0)
  if (total > 6000) form.addError(["embeds"], "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")
  return embeds
}

const readEmbed = (form: Form, value: unknown, path: Path): APIEmbed => {
  const fields = form.object(value, path)
  if (fields === undefined) return {}
  const title = form.text(fields, "title", path, { max: 256 })
  const description = form.text(fields, "description", path, { max: 4096 })
  const url = readUrl(form, fields, "url", path, ["http:", "https:"])
  const color = form.integer(fields, "color", path, { min: 0, max: 0xffffff })
  const timestamp = readTimestamp(form, fields, path)
  const footer = readObject(form, fields, "footer", path)
  const author = readObject(form, fields, "author", path)
  const footerText = footer && form.text(footer, "text", [...path, "footer"], { max: 2048, required: true })
  const authorName = author && form.text(author, "name", [...path, "author"], { max: 256, required: true })
  const footerIcon = footer && readMediaUrl(form, footer, "icon_url", [...path, "footer"])
  const authorIcon = author && readMediaUrl(form, author, "icon_url", [...path, "author"])
  const authorUrl = author && readUrl(form, author, "url", [...path, "author"], ["http:", "https:"])
  const image = readImage(form, fields, "image", path)
  const thumbnail = readImage(form, fields, "thumbnail", path)
  const list = form.list(fields, "fields", path, { max: 25 })
  const embed: APIEmbed = {
    // Discord calls every embed of an application "rich" and spells `inline` out.
    type: "rich" as NonNullable<APIEmbed["type"]>,
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
    ...(url === undefined ? {} : { url }),
    ...(color === undefined ? {} : { color }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(footerText === undefined ? {} : { footer: { text: footerText, ...(footerIcon && { icon_url: footerIcon }) } }),
    ...(authorName === undefined
      ? {}
      : {
          author: {
            name: authorName,
            ...(authorUrl && { url: authorUrl }),
            ...(authorIcon && { icon_url: authorIcon })
          }
        }),
    ...(image === undefined ? {} : { image }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
    ...(list === undefined || list.length === 0
      ? {}
      : { fields: list.map((entry, index) => readField(form, entry, [...path, "fields", index])) })
  }
  if (Object.keys(embed).length === 1) form.addRequiredError([...path, "description"])
  return embed
}

const readField = (form: Form, value: unknown, path: Path): { name: string; value: string; inline: boolean } => {
  const fields = form.object(value, path)
  if (fields === undefined) return { name: "", value: "", inline: false }
  return {
    name: form.text(fields, "name", path, { max: 256, required: true }) ?? "",
    value: form.text(fields, "value", path, { max: 1024, required: true }) ?? "",
    inline: fields["inline"] === true
  }
}

const readObject = (form: Form, fields: JsonObject, key: string, path: Path): JsonObject | undefined => {
  const value = fields[key]
  return value === undefined || value === null ? undefined : form.object(value, [...path, key])
}

const readImage = (form: Form, fields: JsonObject, key: string, path: Path): { url: string } | undefined => {
  const value = readObject(form, fields, key, path)
  const url = value && readMediaUrl(form, value, "url", [...path, key])
  return url === undefined ? undefined : { url }
}

const readMediaUrl = (form: Form, fields: JsonObject, key: string, path: Path): string | undefined =>
  readUrl(form, fields, key, path, ["http:", "https:", "attachment:"])

const readUrl = (
  form: Form,
  fields: JsonObject,
  key: string,
  path: Path,
  schemes: ReadonlyArray<string>
): string | undefined => {
  const value = form.text(fields, key, path, { max: 2048 })
  if (value === undefined || value === "") return undefined
  if (!URL.canParse(value)) {
    form.addError([...path, key], "URL_TYPE_INVALID_URL", "Not a well formed URL.")
    return undefined
  }
  const scheme = new URL(value).protocol
  if (!schemes.includes(scheme)) {
    const allowed = schemes.map((scheme) => `'${scheme.slice(0, -1)}'`).join(", ")
    form.addError(
      [...path, key],
      "URL_TYPE_INVALID_SCHEME",
      `Scheme "${scheme.slice(0, -1)}" is not supported. Scheme must be one of (${allowed}).`
    )
  }
  return value
}

const readTimestamp = (form: Form, fields: JsonObject, path: Path): string | undefined => {
  const value = fields["timestamp"]
  if (value === undefined || value === null) return undefined
  const time = typeof value === "string" || typeof value === "number" ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime())) {
    form.addError(
      [...path, "timestamp"],
      "DATE_TIME_TYPE_PARSE",
      `Could not parse ${formatValue(value)}. Should be ISO8601.`
    )
    return undefined
  }
  return time.toISOString()
}

const sizeOf = (embed: APIEmbed): number =>
  [
    embed.title,
    embed.description,
    embed.footer?.text,
    embed.author?.name,
    ...(embed.fields ?? []).flatMap((field) => [field.name, field.value])
  ].reduce((sum, text) => sum + [...(text ?? "")].length, 0)

/** Applies `change` to every media URL of an embed. */
export const mapEmbedMedia = (embed: APIEmbed, change: (url: string) => string): APIEmbed => {
  const copy: APIEmbed = { ...embed }
  for (const key of ["image", "thumbnail"] as const) {
    const part = copy[key]
    if (part !== undefined) copy[key] = { ...part, url: change(part.url) }
  }
  for (const key of ["footer", "author"] as const) {
    const part = copy[key]
    if (isJsonObject(part) && typeof part["icon_url"] === "string")
      Object.assign(copy, { [key]: { ...part, icon_url: change(part["icon_url"]) } })
  }
  return copy
}
