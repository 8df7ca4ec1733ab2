import * as Schema from "effect/Schema"
import type { RpcError } from "./JsonRpc.ts"

/**
 * The channel is gone or unreachable. `sent` is false if the message surely did not arrive; it can be sent again.
 * `reconnecting`: a new connection is being opened. `retryAfter`: a busy server asked to wait, in seconds.
 */
export class ConnectionLost extends Schema.TaggedError<ConnectionLost>("@heddle/acp/ConnectionLost")("ConnectionLost", {
  description: Schema.String,
  sent: Schema.Boolean,
  reconnecting: Schema.optional(Schema.Boolean),
  retryAfter: Schema.optional(Schema.Number),
  cause: Schema.optional(Schema.Defect)
}) {
  override get message() {
    return this.description
  }
}

/**
 * The server refuses the channel for good: 403, 404, a redirect, or no connection id. `description` has the words of its
 * body without credentials, and names the other transport where the server may speak its dialect.
 */
export class ChannelRefused extends Schema.TaggedError<ChannelRefused>("@heddle/acp/ChannelRefused")("ChannelRefused", {
  status: Schema.Number,
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/**
 * There is no link and token. `gone`: the task itself is over, so another try does not help. `retryAfter`: the service
 * asked to wait, in seconds.
 */
export class TicketError extends Schema.TaggedError<TicketError>("@heddle/acp/TicketError")("TicketError", {
  description: Schema.String,
  gone: Schema.Boolean,
  retryAfter: Schema.optional(Schema.Number),
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

/** The agent program ended; `stderr` is what it wrote to standard error last, within five seconds and 8 KiB. */
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

/** A result of the agent does not have the shape that its method has. */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>("@heddle/acp/InvalidAnswer")("InvalidAnswer", {
  method: Schema.String,
  description: Schema.String
}) {
  override get message() {
    return `The agent's answer to ${this.method} cannot be read: ${this.description}`
  }
}

/**
 * The connection broke while a turn ran, and the turn may still run. The prompt is not sent again; `awaitIdle` of the
 * session waits for the end of the turn, or finds that the prompt did not arrive.
 */
export class Detached extends Schema.TaggedError<Detached>("@heddle/acp/Detached")("Detached", {
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** A prompt whose connection broke is not in the session's history: it did nothing and can be sent again. */
export class NotDelivered extends Schema.TaggedError<NotDelivered>("@heddle/acp/NotDelivered")("NotDelivered", {
  content: Schema.Array(Schema.Unknown)
}) {
  override get message() {
    return "The message did not reach the agent; nothing of it was done. It can be sent again."
  }
}

/**
 * Whether a prompt whose connection broke reached the agent is unknown. The history does not show messages of users, and
 * the agent has said nothing since. The prompt is not sent again; it may have run.
 */
export class DeliveryUnknown extends Schema.TaggedError<DeliveryUnknown>("@heddle/acp/DeliveryUnknown")(
  "DeliveryUnknown",
  { content: Schema.Array(Schema.Unknown) }
) {
  override get message() {
    return "It is not known whether the message reached the agent. It was not sent again."
  }
}

/** The agent does not accept prompt content of this type; nothing was sent. */
export class UnsupportedContent extends Schema.TaggedError<UnsupportedContent>("@heddle/acp/UnsupportedContent")(
  "UnsupportedContent",
  { type: Schema.String }
) {
  override get message() {
    return `The agent takes no ${this.type} in a prompt`
  }
}

/** The request is no longer open: it was answered or withdrawn. */
export class AlreadyAnswered extends Schema.TaggedError<AlreadyAnswered>("@heddle/acp/AlreadyAnswered")(
  "AlreadyAnswered",
  { requestId: Schema.String }
) {}

/**
 * The service did not take the answer. `connection`: the connection of the request is gone, and the agent may ask again.
 * `refused`: the service refuses the answer, or the agent took the request back.
 */
export class AnswerNotDelivered extends Schema.TaggedError<AnswerNotDelivered>("@heddle/acp/AnswerNotDelivered")(
  "AnswerNotDelivered",
  { requestId: Schema.String, reason: Schema.Literal("connection", "refused") }
) {
  override get message() {
    return this.reason === "connection"
      ? "The service did not confirm the answer: the connection on which the agent asked is gone"
      : "The answer was not delivered: the service does not take it"
  }
}

/** The answer does not fit the request, which stays open. */
export class InvalidChoice extends Schema.TaggedError<InvalidChoice>("@heddle/acp/InvalidChoice")("InvalidChoice", {
  requestId: Schema.String,
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** The agent does not know the session: it says so, or loads it without a history. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>("@heddle/acp/SessionNotFound")(
  "SessionNotFound",
  { sessionId: Schema.String }
) {
  override get message() {
    return `The agent has no session ${this.sessionId}`
  }
}

/** The errors of a channel. */
export type TransportError = ConnectionLost | ChannelRefused | TicketError | AgentExited

/** The errors of a call to the agent. */
export type AcpError = TransportError | RpcError | UnsupportedVersion | InvalidAnswer | SessionNotFound
