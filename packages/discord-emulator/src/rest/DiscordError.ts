/** Messages of errors for one field, and of the fields below it, as Discord nests them. */
export interface FieldErrors {
  [key: string]: FieldErrors | ReadonlyArray<{ readonly code: string; readonly message: string }>
}

/** An answer of Discord that refuses a request: HTTP status, error code and text of its documentation. */
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

/** The refusals in use, by name. */
export const refuse = {
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
  unknownUser: () => new DiscordError(404, 10013, "Unknown User"),
  unknownEmoji: () => new DiscordError(400, 10014, "Unknown Emoji"),
  unknownWebhook: () => new DiscordError(404, 10015, "Unknown Webhook"),
  unknownInteraction: () => new DiscordError(404, 10062, "Unknown interaction"),
  unknownCommand: () => new DiscordError(404, 10063, "Unknown application command"),
  acknowledged: () => new DiscordError(400, 40060, "Interaction has already been acknowledged."),
  tooLarge: () => new DiscordError(413, 40005, "Request entity too large"),
  missingAccess: () => new DiscordError(403, 50001, "Missing Access"),
  notTheAuthor: () => new DiscordError(403, 50005, "Cannot edit a message authored by another user"),
  emptyMessage: () => new DiscordError(400, 50006, "Cannot send an empty message"),
  cannotMessageUser: () => new DiscordError(403, 50007, "Cannot send messages to this user"),
  notInChannelType: () => new DiscordError(400, 50024, "Cannot execute action on this channel type"),
  missingPermissions: () => new DiscordError(403, 50013, "Missing Permissions"),
  invalidWebhookToken: () => new DiscordError(401, 50027, "Invalid Webhook Token"),
  archived: () => new DiscordError(400, 50083, "Thread is archived"),
  threadExists: () => new DiscordError(400, 160_004, "A thread has already been created for this message"),
  threadLocked: () => new DiscordError(403, 160_005, "Thread is locked"),
  tooManyReactions: () => new DiscordError(400, 30010, "Maximum number of reactions reached (20)")
} as const
