import {
  ButtonStyle,
  ComponentType,
  MessageFlags,
  type RawFile,
  type RESTPatchAPIChannelMessageJSONBody,
  type RESTPostAPIChannelMessageJSONBody
} from "discord.js"
import type { Button, Embed } from "../view/Post.ts"

/** What a message says, as the bot's own plain data. */
export interface MessageBody {
  readonly content: string
  readonly embeds?: ReadonlyArray<Embed>
  readonly buttons?: ReadonlyArray<ReadonlyArray<Button>>
  /** Absent on an edit: the files stay as they are. */
  readonly files?: ReadonlyArray<Upload>
}

/** A file to send. */
export interface Upload {
  readonly name: string
  readonly data: Uint8Array
}

/** The body on the wire; mentions never ping, and links in plain text are not unfolded into previews. */
export const toWire = (body: MessageBody) =>
  ({
    content: body.content,
    embeds: (body.embeds ?? []).map(embed),
    components: (body.buttons ?? []).map((row) => ({ type: ComponentType.ActionRow, components: row.map(button) })),
    allowed_mentions: { parse: [] },
    ...(body.files === undefined ? {} : { attachments: body.files.map((file, id) => ({ id, filename: file.name })) })
  }) satisfies RESTPostAPIChannelMessageJSONBody & RESTPatchAPIChannelMessageJSONBody

/** Flags of a new message. */
export const flags = (body: MessageBody, ephemeral: boolean): number =>
  (ephemeral ? MessageFlags.Ephemeral : 0) | ((body.embeds ?? []).length === 0 ? MessageFlags.SuppressEmbeds : 0)

/** The files as discord.js sends them. */
export const uploads = (body: MessageBody): Array<RawFile> =>
  (body.files ?? []).map((file) => ({ name: file.name, data: Buffer.from(file.data) }))

const embed = (from: Embed) => ({
  ...(from.title === undefined ? {} : { title: from.title }),
  ...(from.description === undefined ? {} : { description: from.description }),
  ...(from.color === undefined ? {} : { color: from.color }),
  ...(from.footer === undefined ? {} : { footer: { text: from.footer } }),
  ...(from.image === undefined ? {} : { image: { url: `attachment://${from.image}` } })
})

const styles = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  success: ButtonStyle.Success,
  danger: ButtonStyle.Danger
} as const

const button = (from: Button) =>
  from.url === undefined
    ? {
        type: ComponentType.Button as const,
        style: styles[from.style],
        label: from.label,
        custom_id: from.customId ?? from.label
      }
    : { type: ComponentType.Button as const, style: ButtonStyle.Link as const, label: from.label, url: from.url }
