import {
  type APIModalInteractionResponseCallbackData,
  ButtonStyle,
  ChannelType,
  ComponentType,
  MessageFlags,
  type RawFile,
  type RESTPatchAPIChannelMessageJSONBody,
  type RESTPostAPIChannelMessageJSONBody,
  SelectMenuDefaultValueType,
  TextInputStyle
} from "discord.js"
import { lookup } from "../text/Lookup.ts"
import { wellFormed } from "../text/Sanitize.ts"
import type { Button, Component, Embed, Modal, EntitySelect, Select } from "../model/Post.ts"

/** The content of a message as the bot's own plain data. */
export interface MessageBody {
  readonly content: string
  readonly embeds?: ReadonlyArray<Embed>
  readonly rows?: ReadonlyArray<ReadonlyArray<Component>>
  /** Absent in an edit: the files stay unchanged. */
  readonly files?: ReadonlyArray<Upload>
  /** Sends a follow-up instead of changing the control's message. */
  readonly besides?: true
}

/** A file to send. */
export interface Upload {
  readonly name: string
  readonly data: Uint8Array
}

/** The body on the wire; mentions do not ping, and links in plain text have no previews. */
export const toWire = (body: MessageBody) =>
  ({
    content: wellFormed(body.content),
    embeds: (body.embeds ?? []).map(embedToWire),
    components: (body.rows ?? []).map((row) => ({ type: ComponentType.ActionRow, components: row.map(control) })),
    allowed_mentions: { parse: [] },
    ...(body.files === undefined ? {} : { attachments: body.files.map((file, id) => ({ id, filename: file.name })) })
  }) satisfies RESTPostAPIChannelMessageJSONBody & RESTPatchAPIChannelMessageJSONBody

/** Flags of a new message. */
export const flags = (body: MessageBody, ephemeral: boolean): number =>
  (ephemeral ? MessageFlags.Ephemeral : 0) | ((body.embeds ?? []).length === 0 ? MessageFlags.SuppressEmbeds : 0)

/** The files as discord.js sends them. */
export const uploads = (body: MessageBody): Array<RawFile> =>
  (body.files ?? []).map((file) => ({ name: file.name, data: Buffer.from(file.data), contentType: typeOf(file.name) }))

/** The name determines the type, since discord.js cannot infer it from every content. */
const typeOf = (name: string): string =>
  lookup(types, /\.(\w+)$/.exec(name.toLowerCase())?.[1] ?? "") ?? "application/octet-stream"

const types: Readonly<Record<string, string>> = {
  csv: "text/csv",
  diff: "text/x-diff",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  zip: "application/zip"
}

/** An embed on the wire. */
export const embedToWire = (from: Embed) => ({
  ...(from.title === undefined ? {} : { title: wellFormed(from.title) }),
  ...(from.description === undefined ? {} : { description: wellFormed(from.description) }),
  ...(from.color === undefined ? {} : { color: from.color }),
  ...(from.footer === undefined ? {} : { footer: { text: wellFormed(from.footer) } }),
  ...(from.image === undefined ? {} : { image: { url: `attachment://${from.image}` } }),
  ...(from.thumbnail === undefined ? {} : { thumbnail: { url: from.thumbnail } })
})

const styles = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  success: ButtonStyle.Success,
  danger: ButtonStyle.Danger
} as const

/** A form on the wire. */
export const modalToWire = (from: Modal): APIModalInteractionResponseCallbackData => ({
  custom_id: from.customId,
  title: from.title,
  components: from.fields.map((field) => ({
    type: ComponentType.Label,
    label: field.label,
    ...(field.description === undefined ? {} : { description: field.description }),
    component: {
      type: ComponentType.TextInput,
      custom_id: field.id,
      style: field.isMultiline ? TextInputStyle.Paragraph : TextInputStyle.Short,
      required: field.required,
      min_length: field.minLength,
      max_length: field.maxLength,
      ...(field.value === "" ? {} : { value: wellFormed(field.value) })
    }
  }))
})

const control = (from: Component) =>
  "options" in from ? select(from) : "selects" in from ? picker(from) : button(from)

const select = (from: Select) => ({
  type: ComponentType.StringSelect as const,
  custom_id: from.customId,
  placeholder: from.placeholder,
  min_values: from.minValues,
  max_values: from.maxValues,
  options: from.options.map(({ isDefault: chosen, description, label, value }) => ({
    value,
    label: wellFormed(label),
    ...(description === undefined ? {} : { description: wellFormed(description) }),
    default: chosen
  }))
})

const picker = (from: EntitySelect) => {
  const shared = {
    custom_id: from.customId,
    placeholder: from.placeholder,
    min_values: from.minValues,
    max_values: from.maxValues
  }
  const chosen = <Is extends SelectMenuDefaultValueType>(...kinds: ReadonlyArray<Is>) =>
    from.defaultValues.flatMap(({ id, type: is }) => {
      const type = kinds.find((kind) => kind === is)
      return type === undefined ? [] : [{ id, type }]
    })
  const { Channel, Role, User } = SelectMenuDefaultValueType
  switch (from.selects) {
    case "channels":
      return {
        ...shared,
        type: ComponentType.ChannelSelect as const,
        channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement, ChannelType.GuildForum],
        default_values: chosen(Channel)
      }
    case "people":
      return { ...shared, type: ComponentType.UserSelect as const, default_values: chosen(User) }
    case "peopleAndRoles":
      return { ...shared, type: ComponentType.MentionableSelect as const, default_values: chosen(Role, User) }
  }
}

const button = (from: Button) =>
  from.url === undefined
    ? {
        type: ComponentType.Button as const,
        style: styles[from.style],
        label: wellFormed(from.label),
        custom_id: from.customId ?? from.label
      }
    : { type: ComponentType.Button as const, style: ButtonStyle.Link as const, label: from.label, url: from.url }
