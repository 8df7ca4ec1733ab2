import {
  type AnySelectMenuInteraction,
  type APIInteractionGuildMember,
  type APIMessage,
  ApplicationCommandOptionType,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type Client,
  ChannelType,
  type ChatInputCommandInteraction,
  type CommandInteraction,
  type CommandInteractionOption,
  ComponentType,
  GuildMember,
  type Interaction as DiscordInteraction,
  type Message,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  MessageType,
  type ModalSubmitInteraction,
  type PartialMessage,
  PermissionFlagsBits
} from "discord.js"
import type { Roles } from "../model/Access.ts"
import type {
  Attachment,
  Autocomplete,
  DiscordEvent,
  IncomingMessage,
  Interaction,
  SlashCommand,
  MessageCommand,
  UnknownInteraction,
  MessageLocation,
  ComponentOrModalSubmit,
  ReplyTo
} from "./DiscordEvent.ts"

/** Converts a gateway message into plain data. */
export const message = (from: Message): IncomingMessage => ({
  id: from.id,
  channelId: from.channelId,
  authorId: from.author.id,
  authorName: from.member?.displayName ?? from.author.displayName,
  fromPerson: !from.author.bot && isOrdinary(from.type),
  ...ownKind(from.client, from.author.id, from.type),
  content: from.content,
  attachments: [...from.attachments.values()].map(attachment),
  ...(from.guildId === null ? { direct: true } : {}),
  ...(from.member === null ? {} : { roleIds: [...from.member.roles.cache.keys()] }),
  ...withLocation(from.client, from)
})

/** Converts an edited message; none when the event is partial. */
export const edited = (from: Message | PartialMessage): DiscordEvent | undefined =>
  from.partial || from.author.bot ? undefined : { _tag: "MessageEdited", message: message(from) }

/** Converts a REST message into plain data; the client's cache supplies its place. */
export const messageFromApi = (client: Client<true>, from: APIMessage): IncomingMessage => ({
  id: from.id,
  channelId: from.channel_id,
  authorId: from.author.id,
  authorName: from.author.global_name ?? from.author.username,
  fromPerson: from.author.bot !== true && isOrdinary(from.type),
  ...ownKind(client, from.author.id, from.type),
  ...(from.message_reference?.message_id === undefined ? {} : { repliesTo: from.message_reference.message_id }),
  content: from.content,
  attachments: from.attachments.map((file) => ({
    name: file.filename,
    url: file.url,
    size: file.size,
    contentType: file.content_type
  })),
  ...withLocation(client, { id: from.id, channelId: from.channel_id, content: from.content })
})

/** Converts an interaction; unsupported ones are kept, because every interaction gets an answer. */
export const interaction = (from: DiscordInteraction): Interaction => {
  if (from.isChatInputCommand()) return slashCommand(from)
  if (from.isAutocomplete()) return autocomplete(from)
  if (from.isButton()) return componentOrModal(from, { values: [], fields: {}, roles: [] })
  if (from.isRoleSelectMenu()) return componentOrModal(from, { values: from.values, fields: {}, roles: from.values })
  if (from.isMentionableSelectMenu()) {
    return componentOrModal(from, { values: from.values, fields: {}, roles: [...from.roles.keys()] })
  }
  if (from.isStringSelectMenu() || from.isUserSelectMenu() || from.isChannelSelectMenu()) {
    return componentOrModal(from, { values: from.values, fields: {}, roles: [] })
  }
  if (from.isModalSubmit()) {
    const fields = Object.fromEntries(
      [...from.fields.fields.values()].flatMap((field) =>
        field.type === ComponentType.TextInput ? [[field.customId, field.value]] : []
      )
    )
    return componentOrModal(from, { values: Object.values(fields), fields, roles: [] })
  }
  if (from.isMessageContextMenuCommand()) return messageCommand(from)
  if (from.isUserContextMenuCommand() || from.isPrimaryEntryPointCommand()) return unknownInteraction(from)
  // A type error here means that discord.js added a kind of interaction.
  return unknownInteraction(from satisfies never)
}

const unknownInteraction = (from: CommandInteraction): UnknownInteraction => ({
  _tag: "UnknownInteraction",
  reply: replyTo(from)
})

const slashCommand = (from: ChatInputCommandInteraction): SlashCommand => ({
  _tag: "SlashCommand",
  ...commandFields(from)
})

const autocomplete = (from: AutocompleteInteraction): Autocomplete => {
  const { name, value } = from.options.getFocused(true)
  return { _tag: "Autocomplete", ...commandFields(from), focused: { name, value: String(value) } }
}

/** Converts a complete or partly typed command. */
const commandFields = (from: AutocompleteInteraction | ChatInputCommandInteraction): Omit<SlashCommand, "_tag"> => {
  const subcommand = from.options.data.find((option) => option.type === ApplicationCommandOptionType.Subcommand)
  const options = subcommand?.options ?? from.options.data
  return {
    reply: replyTo(from),
    path: subcommand === undefined ? from.commandName : `${from.commandName} ${subcommand.name}`,
    options: Object.fromEntries(options.flatMap((option) => value(option))),
    attachments: options.flatMap((option) =>
      option.attachment === undefined || option.attachment === null ? [] : [attachment(option.attachment)]
    ),
    bots: options.flatMap(({ user }) => (user?.bot === true ? [user.id] : []))
  }
}

const value = (option: CommandInteractionOption): ReadonlyArray<[string, string | number | boolean]> =>
  option.value === undefined ? [] : [[option.name, option.value]]

const messageCommand = (from: MessageContextMenuCommandInteraction): MessageCommand => ({
  _tag: "MessageCommand",
  reply: replyTo(from),
  name: from.commandName,
  message: message(from.targetMessage),
  opensThread:
    !from.targetMessage.hasThread &&
    (from.channel?.type === ChannelType.GuildText || from.channel?.type === ChannelType.GuildAnnouncement)
})

const ownKind = (client: Client<true>, authorId: string, type: MessageType): Pick<IncomingMessage, "own"> =>
  authorId !== client.user.id || !isOrdinary(type) ? {} : { own: type === MessageType.Reply ? "reply" : "message" }

const isOrdinary = (type: MessageType): boolean => type === MessageType.Default || type === MessageType.Reply

const withLocation = (
  client: Client<true>,
  from: { readonly id: string; readonly channelId: string; readonly content: string }
): { readonly place?: MessageLocation } => {
  const channel = client.channels.cache.get(from.channelId)
  if (channel === undefined || channel.isDMBased()) return {}
  const mention = new RegExp(`<@!?${client.user.id}>`, "g")
  const parent = channel.isThread() ? channel.parent : null
  const forum = parent?.type === ChannelType.GuildForum
  return {
    place: {
      guildId: channel.guildId,
      parentId: channel.isThread() ? (channel.parentId ?? undefined) : undefined,
      hidden: channel.type === ChannelType.PrivateThread,
      forum,
      asksForTask:
        from.content.search(mention) >= 0 ||
        // A post and its first message have the same id.
        (forum && from.id === from.channelId && (parent.topic ?? "").search(mention) >= 0),
      prompt: from.content.replace(mention, "").trim()
    }
  }
}

const componentOrModal = (
  from: AnySelectMenuInteraction | ButtonInteraction | ModalSubmitInteraction,
  input: Pick<ComponentOrModalSubmit, "fields" | "roles" | "values">
): ComponentOrModalSubmit => {
  const sourceInteractionId = from.message?.interactionMetadata?.id
  return {
    _tag: "ComponentOrModalSubmit",
    reply: replyTo(from),
    customId: from.customId,
    ...input,
    ...(sourceInteractionId === undefined ? {} : { sourceInteractionId }),
    ...(from.message?.flags.has(MessageFlags.Ephemeral) === true ? { inPrivate: true } : {})
  }
}

const replyTo = (
  from:
    | AnySelectMenuInteraction
    | AutocompleteInteraction
    | ButtonInteraction
    | CommandInteraction
    | ModalSubmitInteraction
): ReplyTo => ({
  id: from.id,
  token: from.token,
  userId: from.user.id,
  displayName: from.member instanceof GuildMember ? from.member.displayName : from.user.displayName,
  userName: from.user.username,
  guildId: from.guildId ?? undefined,
  roleIds: rolesOf(from.member),
  // Administrators have every permission.
  managesServer: from.memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true,
  channelId: from.channelId ?? "",
  parentId: from.channel?.isThread() === true ? (from.channel.parentId ?? undefined) : undefined,
  // The cache has every channel, and every visible thread that is not archived.
  hidden: from.guildId !== null && (from.channel === null || from.channel.type === ChannelType.PrivateThread),
  locale: from.locale,
  guildLocale: from.guildLocale ?? undefined
})

const rolesOf = (member: GuildMember | APIInteractionGuildMember | null): Roles | undefined => {
  if (member === null) return undefined
  return member instanceof GuildMember ? [...member.roles.cache.keys()] : member.roles
}

const attachment = (from: {
  readonly name: string
  readonly url: string
  readonly size: number
  readonly contentType: string | null
}): Attachment => ({ name: from.name, url: from.url, size: from.size, contentType: from.contentType ?? undefined })
