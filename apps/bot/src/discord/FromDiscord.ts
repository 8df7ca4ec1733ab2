import {
  ApplicationCommandOptionType,
  type APIMessage,
  type ButtonInteraction,
  type Client,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
  ChannelType,
  type Interaction,
  type Message,
  type MessageContextMenuCommandInteraction,
  MessageType,
  type ModalSubmitInteraction,
  type PartialMessage,
  type StringSelectMenuInteraction
} from "discord.js"
import type {
  Attachment,
  DiscordEvent,
  IncomingMessage,
  Invoked,
  MessagePicked,
  Place,
  Pressed,
  ReplyTo
} from "./DiscordEvent.ts"

/** A message of the gateway as plain data. */
export const message = (from: Message): IncomingMessage => ({
  id: from.id,
  channelId: from.channelId,
  authorId: from.author.id,
  authorName: from.member?.displayName ?? from.author.displayName,
  fromPerson: !from.author.bot && isOrdinary(from.type),
  ...own(from.client, from.author.id, from.type),
  content: from.content,
  attachments: [...from.attachments.values()].map(attachment),
  ...placed(from.client, from)
})

/** A message that was edited; none when Discord tells only a part of it. */
export const edited = (from: Message | PartialMessage): DiscordEvent | undefined =>
  from.partial || from.author.bot ? undefined : { _tag: "MessageEdited", message: message(from) }

/** A message of the REST API as plain data; its place is told by what the client knows of its channel. */
export const messageFromApi = (client: Client<true>, from: APIMessage): IncomingMessage => ({
  id: from.id,
  channelId: from.channel_id,
  authorId: from.author.id,
  authorName: from.author.global_name ?? from.author.username,
  fromPerson: from.author.bot !== true && isOrdinary(from.type),
  ...own(client, from.author.id, from.type),
  content: from.content,
  attachments: from.attachments.map((file) => ({
    name: file.filename,
    url: file.url,
    size: file.size,
    contentType: file.content_type
  })),
  ...placed(client, { id: from.id, channelId: from.channel_id, content: from.content })
})

/** The one field of the bot's forms. */
export const writtenField = "text"

/** A command, or the use of a control or form, as an event; anything else is not for this bot. */
export const interaction = (from: Interaction): DiscordEvent | undefined => {
  if (from.isChatInputCommand()) return invoked(from)
  if (from.isButton()) return pressed(from, [])
  if (from.isStringSelectMenu()) return pressed(from, from.values)
  if (from.isModalSubmit()) return pressed(from, [from.fields.getTextInputValue(writtenField)])
  if (from.isMessageContextMenuCommand()) return picked(from)
  return undefined
}

const invoked = (from: ChatInputCommandInteraction): Invoked => {
  const subcommand = from.options.data.find((option) => option.type === ApplicationCommandOptionType.Subcommand)
  const given = subcommand?.options ?? from.options.data
  return {
    _tag: "Invoked",
    reply: replyTo(from),
    path: subcommand === undefined ? from.commandName : `${from.commandName} ${subcommand.name}`,
    options: Object.fromEntries(given.flatMap((option) => value(option))),
    attachments: given.flatMap((option) =>
      option.attachment === undefined || option.attachment === null ? [] : [attachment(option.attachment)]
    )
  }
}

const value = (option: CommandInteractionOption): ReadonlyArray<[string, string | number | boolean]> =>
  option.value === undefined ? [] : [[option.name, option.value]]

const picked = (from: MessageContextMenuCommandInteraction): MessagePicked => ({
  _tag: "MessagePicked",
  reply: replyTo(from),
  message: message(from.targetMessage),
  opensThread:
    !from.targetMessage.hasThread &&
    (from.channel?.type === ChannelType.GuildText || from.channel?.type === ChannelType.GuildAnnouncement)
})

const own = (client: Client<true>, authorId: string, type: MessageType): Pick<IncomingMessage, "own"> =>
  authorId !== client.user.id || !isOrdinary(type) ? {} : { own: type === MessageType.Reply ? "reply" : "message" }

const isOrdinary = (type: MessageType): boolean => type === MessageType.Default || type === MessageType.Reply

const placed = (
  client: Client<true>,
  from: { readonly id: string; readonly channelId: string; readonly content: string }
): { readonly place?: Place } => {
  const channel = client.channels.cache.get(from.channelId)
  if (channel === undefined || channel.isDMBased()) return {}
  const mention = new RegExp(`<@!?${client.user.id}>`, "g")
  const parent = channel.isThread() ? channel.parent : null
  const forum = parent?.type === ChannelType.GuildForum
  return {
    place: {
      guildId: channel.guildId,
      parentId: channel.isThread() ? (channel.parentId ?? undefined) : undefined,
      forum,
      asksForTask:
        from.content.search(mention) >= 0 ||
        // The first message of a post has its id.
        (forum && from.id === from.channelId && (parent.topic ?? "").search(mention) >= 0),
      prompt: from.content.replace(mention, "").trim()
    }
  }
}

const pressed = (
  from: ButtonInteraction | StringSelectMenuInteraction | ModalSubmitInteraction,
  values: ReadonlyArray<string>
): Pressed => ({ _tag: "Pressed", reply: replyTo(from), customId: from.customId, values })

const replyTo = (
  from:
    | ButtonInteraction
    | ChatInputCommandInteraction
    | MessageContextMenuCommandInteraction
    | ModalSubmitInteraction
    | StringSelectMenuInteraction
): ReplyTo => ({
  id: from.id,
  token: from.token,
  userId: from.user.id,
  guildId: from.guildId ?? undefined,
  channelId: from.channelId ?? "",
  parentId: from.channel?.isThread() === true ? (from.channel.parentId ?? undefined) : undefined,
  locale: from.locale
})

const attachment = (from: {
  readonly name: string
  readonly url: string
  readonly size: number
  readonly contentType: string | null
}): Attachment => ({ name: from.name, url: from.url, size: from.size, contentType: from.contentType ?? undefined })
