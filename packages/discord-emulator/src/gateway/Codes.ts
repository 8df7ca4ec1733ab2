/** Operations of the gateway protocol. */
export const Op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presenceUpdate: 3,
  voiceStateUpdate: 4,
  resume: 6,
  reconnect: 7,
  requestGuildMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
  requestSoundboardSounds: 31,
  requestChannelInfo: 43
} as const

/** Why the gateway closes a connection. */
export const CloseCode = {
  unknownError: 4000,
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSequence: 4007,
  rateLimited: 4008,
  sessionTimedOut: 4009,
  invalidShard: 4010,
  shardingRequired: 4011,
  invalidApiVersion: 4012,
  invalidIntents: 4013,
  disallowedIntents: 4014
} as const

/** The reason that Discord sends with each close code. */
export const closeReason: Readonly<Record<number, string>> = {
  [CloseCode.unknownError]: "Unknown error.",
  [CloseCode.unknownOpcode]: "Unknown opcode.",
  [CloseCode.decodeError]: "Error while decoding payload.",
  [CloseCode.notAuthenticated]: "Not authenticated.",
  [CloseCode.authenticationFailed]: "Authentication failed.",
  [CloseCode.alreadyAuthenticated]: "Already authenticated.",
  [CloseCode.invalidSequence]: "Invalid seq.",
  [CloseCode.rateLimited]: "Rate limited.",
  [CloseCode.sessionTimedOut]: "Session timed out.",
  [CloseCode.invalidShard]: "Invalid shard.",
  [CloseCode.shardingRequired]: "Sharding required.",
  [CloseCode.invalidIntents]: "Invalid intent(s).",
  [CloseCode.disallowedIntents]: "Disallowed intent(s)."
}

/** The bits that decide which events a client gets. */
export const Intent = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildWebhooks: 1 << 5,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  guildMessageReactions: 1 << 10,
  guildMessageTyping: 1 << 11,
  directMessages: 1 << 12,
  directMessageReactions: 1 << 13,
  directMessageTyping: 1 << 14,
  messageContent: 1 << 15
} as const

/** All defined intents: the bits 0 to 16, 20, 21, 24 and 25. */
export const knownIntents = 0x1_ffff | (1 << 20) | (1 << 21) | (1 << 24) | (1 << 25)
