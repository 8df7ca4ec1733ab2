/** Numbers of the Discord API, written out here so that discord-api-types is not loaded at run time. */

export const ChannelKind = {
  text: 0,
  dm: 1,
  category: 4,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  forum: 15
} as const

export const MessageKind = {
  default: 0,
  recipientAdd: 1,
  recipientRemove: 2,
  nameChange: 4,
  pinned: 6,
  threadCreated: 18,
  reply: 19,
  chatInput: 20,
  threadStarter: 21,
  contextMenu: 23
} as const

export const MessageReferenceType = { default: 0, forward: 1 } as const

export const Flag = {
  crossposted: 1 << 0,
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  hasSnapshot: 1 << 14,
  componentsV2: 1 << 15
} as const

export const Component = {
  actionRow: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  textDisplay: 10,
  thumbnail: 11,
  mediaGallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
  radioGroup: 21,
  checkboxGroup: 22,
  checkbox: 23
} as const

export const ButtonKind = { primary: 1, secondary: 2, success: 3, danger: 4, link: 5, premium: 6 } as const

export const InteractionKind = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const

export const Callback = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  autocomplete: 8,
  modal: 9
} as const

/** The numeric type of a command option. */
export const OptionType = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11
} as const

/** Permission bits, and two sets: `all` for the owner and the bot, `everyone` for other members. */
export const Permission = {
  all: String((1n << 53n) - 1n),
  everyone: "2248473465835073",
  kickMembers: 1n << 1n,
  administrator: 1n << 3n,
  manageChannels: 1n << 4n,
  manageGuild: 1n << 5n,
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  sendSpoken: 1n << 12n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readHistory: 1n << 16n,
  mentionEveryone: 1n << 17n,
  changeNickname: 1n << 26n,
  manageNicknames: 1n << 27n,
  manageRoles: 1n << 28n,
  manageWebhooks: 1n << 29n,
  useCommands: 1n << 31n,
  manageThreads: 1n << 34n,
  createPublicThreads: 1n << 35n,
  createPrivateThreads: 1n << 36n,
  sendInThreads: 1n << 38n,
  moderateMembers: 1n << 40n,
  pinMessages: 1n << 51n,
  bypassSlowmode: 1n << 52n
} as const

/** Flags of channels. */
export const ChannelFlag = { pinned: 1 << 1, requireTag: 1 << 4 } as const

/** The largest file. */
export const maxAttachmentBytes = 10 * 1024 * 1024
