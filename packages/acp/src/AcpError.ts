import * as Schema from "effect/Schema"
import type { RpcError } from "./JsonRpc.ts"

/** The channel is gone or unreachable. `sent` is false when the message surely did not arrive, so sending again is safe. */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>("@heddle/acp/ConnectionLost")("ConnectionLost", {
  description: Schema.String,
  sent: Schema.Boolean,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return this.description
  }
}

/** The server refuses the channel for good (403, 404, a redirect, no connection id): trying again does not help. */
export class ChannelRefused extends Schema.TaggedError<ChannelRefused>("@heddle/acp/ChannelRefused")("ChannelRefused", {
  status: Schema.Number,
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** No link and token can be had. `gone` says that the task itself is over, so that asking again does not help. */
export class TicketError extends Schema.TaggedError<TicketError>("@heddle/acp/TicketError")("TicketError", {
  description: Schema.String,
  gone: Schema.Boolean,
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return this.description
  }
}

/** The agent program cannot be started: not found, not executable, or its working directory is missing. */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>("@heddle/acp/AgentNotFound")("AgentNotFound", {
  command: Schema.String,
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** The agent program ended; `stderr` is the last 8 KiB of what it said. */
export class AgentExited extends Schema.TaggedError<AgentExited>("@heddle/acp/AgentExited")("AgentExited", {
  code: Schema.NullOr(Schema.Number),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String
}) {
  override get message() {
    const how = this.signal === null ? `with status ${this.code}` : `by signal ${this.signal}`
    const tail = this.stderr.trim()
    return `The agent ended ${how}${tail === "" ? "" : `: ${tail}`}`
  }
}

/** The agent speaks no protocol version that this client speaks. */
export class UnsupportedVersion extends Schema.TaggedError<UnsupportedVersion>("@heddle/acp/UnsupportedVersion")(
  "UnsupportedVersion",
  { offered: Schema.Number, answered: Schema.Unknown }
) {
  override get message() {
    return `The agent answers with protocol version ${String(this.answered)}, this client speaks ${this.offered}`
  }
}

/** An answer of the agent is not of the shape that the method has. */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>("@heddle/acp/InvalidAnswer")("InvalidAnswer", {
  method: Schema.String,
  description: Schema.String
}) {
  override get message() {
    return `The agent's answer to ${this.method} cannot be read: ${this.description}`
  }
}

/**
 * The connection broke while a turn ran. The prompt is not sent again: the turn may still run, and `awaitIdle` of the
 * session learns its end.
 */
export class Detached extends Schema.TaggedError<Detached>("@heddle/acp/Detached")("Detached", {
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** A turn is already running in this session; wait for its end or cancel it. */
export class TurnInProgress extends Schema.TaggedError<TurnInProgress>("@heddle/acp/TurnInProgress")(
  "TurnInProgress",
  {}
) {}

/** The agent takes no prompt content of this type; nothing was sent. */
export class UnsupportedContent extends Schema.TaggedError<UnsupportedContent>("@heddle/acp/UnsupportedContent")(
  "UnsupportedContent",
  { type: Schema.String }
) {
  override get message() {
    return `The agent takes no ${this.type} in a prompt`
  }
}

/** The request was answered before, or needs no answer any more. */
export class AlreadyAnswered extends Schema.TaggedError<AlreadyAnswered>("@heddle/acp/AlreadyAnswered")(
  "AlreadyAnswered",
  { requestId: Schema.String }
) {}

/** The answer does not fit what is asked; the request stays open and can be answered anew. */
export class InvalidChoice extends Schema.TaggedError<InvalidChoice>("@heddle/acp/InvalidChoice")("InvalidChoice", {
  requestId: Schema.String,
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** The agent does not know the session: it says so, or takes it up without anything in it. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>("@heddle/acp/SessionNotFound")(
  "SessionNotFound",
  { sessionId: Schema.String }
) {
  override get message() {
    return `The agent has no session ${this.sessionId}`
  }
}

/** What can go wrong with a channel. */
export type TransportError = ConnectionLost | ChannelRefused | TicketError | AgentExited

/** What can go wrong with a call to the agent. */
export type AcpError = TransportError | RpcError | UnsupportedVersion | InvalidAnswer | SessionNotFound
