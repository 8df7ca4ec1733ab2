/** The errors of one field and of the fields below it, nested as in Discord's responses. */
export interface FieldErrors {
  [key: string]: FieldErrors | ReadonlyArray<{ readonly code: string; readonly message: string }>
}

/** An error response of Discord: HTTP status, error code and message as documented. */
export class DiscordError extends Error {
  override readonly name = "DiscordError"
  readonly status: number
  readonly code: number
  readonly errors: FieldErrors | undefined

  constructor(status: number, code: number, message: string, errors?: FieldErrors) {
    super(message)
    this.status = status
    this.code = code
    this.errors = errors
  }

  get body(): object {
    return {
      message: this.message,
      code: this.code,
      ...(this.errors === undefined ? {} : { errors: this.errors })
    }
  }
}

/** The errors in use, by name. */
export const apiErrors = {
  unauthorized: () => new DiscordError(401, 0, "401: Unauthorized"),
  notFound: () => new DiscordError(404, 0, "404: Not Found"),
  methodNotAllowed: () => new DiscordError(405, 0, "405: Method Not Allowed"),
  badJson: () => new DiscordError(400, 50109, "The request body contains invalid JSON."),
  tooDeep: () =>
    new DiscordError(400, 50035, "Invalid Form Body", {
      _errors: [{ code: "BASE_TYPE_MAX_DEPTH", message: "The body is nested too deeply." }]
    }),
  unknownApplication: () => new DiscordError(404, 10002, "Unknown Application"),
  unknownChannel: () => new DiscordError(404, 10003, "Unknown Channel"),
  unknownGuild: () => new DiscordError(404, 10004, "Unknown Guild"),
  unknownMember: () => new DiscordError(404, 10007, "Unknown Member"),
  unknownMessage: () => new DiscordError(404, 10008, "Unknown Message"),
  unknownOverwrite: () => new DiscordError(404, 10009, "Unknown Overwrite"),
  unknownRole: () => new DiscordError(404, 10011, "Unknown Role"),
  unknownUser: () => new DiscordError(404, 10013, "Unknown User"),
  unknownEmoji: () => new DiscordError(400, 10014, "Unknown Emoji"),
  unknownCommandPermissions: () => new DiscordError(404, 10066, "Unknown application command permissions"),
  botsNotAllowed: () => new DiscordError(403, 20001, "Bots cannot use this endpoint"),
  alreadyCrossposted: () => new DiscordError(400, 40033, "This message has already been crossposted."),
  unknownWebhook: () => new DiscordError(404, 10015, "Unknown Webhook"),
  unknownInteraction: () => new DiscordError(404, 10062, "Unknown interaction"),
  unknownCommand: () => new DiscordError(404, 10063, "Unknown application command"),
  alreadyAcknowledged: () => new DiscordError(400, 40060, "Interaction has already been acknowledged."),
  invalidVersion: () => new DiscordError(400, 50041, "Invalid API version provided"),
  tooLarge: () => new DiscordError(413, 40005, "Request entity too large"),
  missingAccess: () => new DiscordError(403, 50001, "Missing Access"),
  notAuthor: () => new DiscordError(403, 50005, "Cannot edit a message authored by another user"),
  emptyMessage: () => new DiscordError(400, 50006, "Cannot send an empty message"),
  cannotMessageUser: () => new DiscordError(403, 50007, "Cannot send messages to this user"),
  notInChannelType: () => new DiscordError(400, 50024, "Cannot execute action on this channel type"),
  missingPermissions: () => new DiscordError(403, 50013, "Missing Permissions"),
  invalidWebhookToken: () => new DiscordError(401, 50027, "Invalid Webhook Token"),
  invalidRecipient: () => new DiscordError(400, 50033, "Invalid Recipient(s)"),
  notTextual: () => new DiscordError(400, 50008, "Cannot send messages in a non-text channel"),
  notInDirectChannel: () => new DiscordError(400, 50003, "Cannot execute action on a DM channel"),
  systemMessage: () => new DiscordError(403, 50021, "Cannot execute action on a system message"),
  invalidRole: () => new DiscordError(400, 50028, "Invalid Role"),
  tooOldToDelete: () => new DiscordError(400, 50034, "You can only bulk delete messages that are under 14 days old."),
  noSharedGuild: () => new DiscordError(403, 50278, "Cannot send messages to this user due to having no mutual guilds"),
  slowmode: () => new DiscordError(429, 20016, "This action cannot be performed due to slowmode rate limit"),
  unknownTag: () => new DiscordError(400, 10087, "Unknown Tag"),
  tagRequired: () => new DiscordError(400, 40067, "A tag is required to create a forum post in this channel"),
  duplicateTag: () => new DiscordError(400, 40061, "Tag names must be unique"),
  missingReadHistory: () => new DiscordError(403, 160_002, "Cannot reply without permission to read message history"),
  missingReadHistoryToForward: () =>
    new DiscordError(403, 160_009, "Cannot reference a message without permission to read message history"),
  forwardWithContent: () => new DiscordError(400, 160_011, "Forward messages cannot have additional content"),
  noPollsHere: () => new DiscordError(400, 520_002, "Invalid channel type for poll creation"),
  invalidSticker: () => new DiscordError(400, 50081, "Invalid sticker sent"),
  tooMany: (code: number, what: string, max: number) =>
    new DiscordError(400, code, `Maximum number of ${what} reached (${max})`),
  tooManyCommandCreates: (max: number) =>
    new DiscordError(400, 30_034, `Max number of daily application command creates has been reached (${max})`),
  unknownReferencedMessage: () =>
    new DiscordError(400, 50035, "Invalid Form Body", {
      message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE", message: "Unknown message" }] }
    }),
  threadArchived: () => new DiscordError(400, 50083, "Thread is archived"),
  threadExists: () => new DiscordError(400, 160_004, "A thread has already been created for this message"),
  threadLocked: () => new DiscordError(403, 160_005, "Thread is locked"),
  tooManyThreads: () => new DiscordError(400, 160_006, "Maximum number of active threads reached")
} as const
