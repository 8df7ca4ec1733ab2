import { scopes } from "./oauth/Scope.ts"
import type { Readings } from "./Readings.ts"

const day = 24 * 60 * 60 * 1000

/** The readings of a service that chooses none. */
export const defaultReadings: Readings = {
  consent: "auto",
  person: "ada",
  applicationScopes: scopes,
  withheldScopes: [],
  applicationActive: true,
  codeLifetimeMs: 10 * 60 * 1000,
  accessTokenLifetimeMs: 7 * day,
  refresh: "rotates",
  refreshEndsAccess: false,
  unauthorized: "cycle",

  avatar: "https://avatars.example/ada.png",
  phoneNumber: "+8613800138000",
  creditCapacity: 1000,
  creditUsed: 250,
  repeatedRedemption: "sameResult",

  assistant: "A",
  assistantOnline: true,
  messageContent: "blocks",
  messagePages: "oldestFirstInNewestPage",
  times: "offset",

  creatingMs: 20,
  laterMs: 1000,
  firstPrompt: "runs",
  restStatus: "idle",
  askStatus: "working",
  taskFields: ["name", "expire_at", "created_at", "updated_at"],
  taskOrder: "newestFirst",
  linkMovesOnQuery: false,
  ticketLifetimeMs: 3 * day,
  endedTickets: "keepStreams",

  initialize: "bare",
  promptCapabilities: { image: false, audio: false, embeddedContext: false },
  replay: "withoutUserMessages",
  replayedChunks: "asSent",
  replayedMeta: "kept",
  replayedPrompts: "asWritten",
  loadResult: "object",
  sse: "plain",
  requestIds: "numbers",
  pendingRequests: "lost",
  permissionTimeoutMs: 10 * 60 * 1000,
  ignoreCancel: false,
  cancelGraceMs: 100,
  usage: "tokens",
  roundsAtRestart: "continue",

  int64: "string",
  artifactPagination: "given",
  media: "uri",
  deletedArtifacts: "listed",
  severalSessions: false
}
