/** Operations of the gateway protocol. */
export const Op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voice: 4,
  resume: 6,
  reconnect: 7,
  members: 8,
  invalid: 9,
  hello: 10,
  ack: 11,
  sounds: 31,
  channelInfo: 43
} as const

/** Why the gateway closes a connection. */
export const CloseCode = {
  unknown: 4000,
  unknownOp: 4001,
  decode: 4002,
  notAuthenticated: 4003,
  badToken: 4004,
  alreadyAuthenticated: 4005,
  badSequence: 4007,
  tooFast: 4008,
  timedOut: 4009,
  badShard: 4010,
  tooFewShards: 4011,
  badVersion: 4012,
  badIntents: 4013,
  refusedIntents: 4014
} as const

/** What Discord says beside each close code. */
export const closeReason: Readonly<Record<number, string>> = {
  [CloseCode.unknown]: "Unknown error.",
  [CloseCode.unknownOp]: "Unknown opcode.",
  [CloseCode.decode]: "Error while decoding payload.",
  [CloseCode.notAuthenticated]: "Not authenticated.",
  [CloseCode.badToken]: "Authentication failed.",
  [CloseCode.alreadyAuthenticated]: "Already authenticated.",
  [CloseCode.badSequence]: "Invalid seq.",
  [CloseCode.tooFast]: "Rate limited.",
  [CloseCode.timedOut]: "Session timed out.",
  [CloseCode.badShard]: "Invalid shard.",
  [CloseCode.tooFewShards]: "Sharding required.",
  [CloseCode.badIntents]: "Invalid intent(s).",
  [CloseCode.refusedIntents]: "Disallowed intent(s)."
}

/** The bits that decide which events a client gets. */
export const Intent = {
  guilds: 1 << 0,
  members: 1 << 1,
  webhooks: 1 << 5,
  presences: 1 << 8,
  messages: 1 << 9,
  reactions: 1 << 10,
  typing: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  content: 1 << 15
} as const

/** All defined intents: the bits 0 to 16, 20, 21, 24 and 25. */
export const knownIntents = 0x1_ffff | (1 << 20) | (1 << 21) | (1 << 24) | (1 << 25)
