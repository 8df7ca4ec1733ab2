import type { Scope } from "./oauth/Scope.ts"
import type { TaskStatus } from "./tasks/TaskStatus.ts"

/** The readings of the document between which the service can choose; every value of each is permitted. */
export interface Readings {
  /** What the authorize page does: consents, shows a form, or refuses (4.1). */
  readonly consent: "auto" | "form" | "deny"
  /** The person who is signed in on the authorize page (4.1). */
  readonly person: string
  /** The application's authorization list (1). */
  readonly applicationScopes: ReadonlyArray<Scope>
  /** Scopes that the person does not grant, although they are requested (2.1). */
  readonly withheldScopes: ReadonlyArray<Scope>
  readonly applicationActive: boolean
  readonly codeLifetimeMs: number
  readonly accessTokenLifetimeMs: number
  /** Whether a refresh gives a new refresh token and ends the old one, or gives none and keeps it (2.1). */
  readonly refresh: "rotates" | "keeps"
  /** Whether a refresh ends the access tokens before it. */
  readonly refreshEndsAccess: boolean
  /** The body of a 401 for a bearer token; "cycle" goes through all of them (7.1). */
  readonly unauthorized: "cycle" | "empty" | "invalid_token" | "Unauthorized" | "envelope" | "text"

  readonly avatar: string
  readonly phoneNumber: string
  readonly creditCapacity: number
  readonly creditUsed: number
  /** What a repeated request_id of a redemption gets (4.12, 7.1). */
  readonly repeatedRedemption: "sameResult" | "conflict"

  /** Whether the assistant takes permission_response: the document's variants (4.7). */
  readonly assistant: "A" | "B"
  readonly assistantOnline: boolean
  /** The elements of a message's content (2.6). */
  readonly messageContent: "blocks" | "strings"
  /** The order of messages in pages (4.8). */
  readonly messagePages: "oldestFirstInNewestPage" | "newestFirst" | "oldestFirst"
  /** How ISO 8601 times are written (2.6, 2.8). */
  readonly times: "offset" | "utc"

  readonly creatingMs: number
  /** Whether the initial prompt runs when the sandbox is created, `laterMs` later, or only by session/prompt (4.9). */
  readonly firstPrompt: "runs" | "runsLater" | "waits"
  readonly laterMs: number
  /** The status after a round that did not fail (3). */
  readonly restStatus: Extract<TaskStatus, "idle" | "pending" | "completed">
  /** The status while a permission request waits (3). */
  readonly askStatus: Extract<TaskStatus, "working" | "pending">
  /** The optional fields that tasks have; "link" is that of list items (2.7, 2.8). */
  readonly taskFields: ReadonlyArray<
    "name" | "expire_at" | "sandboxLink" | "sandboxDataLink" | "link" | "created_at" | "updated_at"
  >
  readonly taskOrder: "newestFirst" | "oldestFirst"
  /** Whether every query of a task gives a new link and ends the old link and token (4.11). */
  readonly linkMovesOnQuery: boolean
  readonly ticketLifetimeMs: number
  /** What happens to the streams of a token that ended (5). */
  readonly endedTickets: "keepStreams" | "cutStreams"

  readonly initialize: "bare" | "full"
  /** The kinds of content beyond the baseline that prompts may have. */
  readonly promptCapabilities: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean }
  readonly replay: "full" | "withoutUserMessages" | "none"
  /** Whether a replay joins the chunks of a message. */
  readonly replayedChunks: "asSent" | "joined"
  /** Whether a replay has the `_meta` of prompts. */
  readonly replayedMeta: "kept" | "dropped"
  /** How a replay tells prompts: as they were written, escaped for HTML, or only the newest and what followed it. */
  readonly replayedPrompts: "asWritten" | "escaped" | "newestOnly" | "newestTwo"
  readonly loadResult: "object" | "null"
  /** How events are written: as usual, or with CRLF, several data lines and characters torn apart. */
  readonly sse: "plain" | "awkward"
  /** The JSON-RPC ids of the service's requests: numbers from 0 for each connection, or strings. */
  readonly requestIds: "numbers" | "strings"
  /** Whether a request whose connection is gone is asked again when the session is loaded (6). */
  readonly pendingRequests: "lost" | "askedAgain"
  readonly permissionTimeoutMs: number
  readonly ignoreCancel: boolean
  /** How long a cancelled script may take to end by itself. */
  readonly cancelGraceMs: number
  /** The usage of a round's result, whose shape the document does not show (6). */
  readonly usage: "tokens" | "empty"
  /** What a restart does to the rounds that run. */
  readonly roundsAtRestart: "continue" | "fail"

  /** How int64 fields are written (2.9, 2.10). */
  readonly int64: "string" | "number"
  readonly artifactPagination: "given" | "absent"
  /** Where the bytes of media are: below the sandbox address, or also at a direct URL (4.14). */
  readonly media: "uri" | "url"
  /** Whether the list has deleted artifacts (2.9). */
  readonly deletedArtifacts: "listed" | "absent"
  /** Whether the artifact list requires sessionId, as if the sandbox had several sessions (4.14). */
  readonly severalSessions: boolean
}
