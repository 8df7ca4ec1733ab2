import * as Schema from "effect/Schema"

/** The task's link has no artifact address; pushes still arrive. */
export class BadLink extends Schema.TaggedError<BadLink>("@heddle/artifacts/BadLink")("BadLink", {
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** The sandbox does not know the session: it ended, or the id is wrong. */
export class SessionGone extends Schema.TaggedError<SessionGone>("@heddle/artifacts/SessionGone")("SessionGone", {
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** The sandbox refuses the query's values. */
export class InvalidQuery extends Schema.TaggedError<InvalidQuery>("@heddle/artifacts/InvalidQuery")("InvalidQuery", {
  description: Schema.String
}) {
  override get message() {
    return this.description
  }
}

/** The sandbox refuses even a renewed token. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>("@heddle/artifacts/Unauthorized")("Unauthorized", {
  status: Schema.Number
}) {
  override get message() {
    return `The sandbox refuses the task's token (${this.status})`
  }
}

/** The sandbox cannot be reached, or its response cannot be used; another try later may help. */
export class SandboxUnavailable extends Schema.TaggedError<SandboxUnavailable>("@heddle/artifacts/SandboxUnavailable")(
  "SandboxUnavailable",
  {
    description: Schema.String,
    status: Schema.optional(Schema.Number),
    /** The `Retry-After` of the response in seconds. */
    retryAfter: Schema.optional(Schema.Number)
  }
) {
  override get message() {
    return this.description
  }
}

/** The artifact has no address that may be fetched: a local file, another scheme, or a path out of the session. */
export class NotDownloadable extends Schema.TaggedError<NotDownloadable>("@heddle/artifacts/NotDownloadable")(
  "NotDownloadable",
  { uri: Schema.String, description: Schema.String }
) {
  override get message() {
    return this.description
  }
}

/** The file no longer exists. */
export class MediaGone extends Schema.TaggedError<MediaGone>("@heddle/artifacts/MediaGone")("MediaGone", {
  uri: Schema.String
}) {
  override get message() {
    return `The file is not there any more: ${this.uri}`
  }
}

/** The file exceeds the limit of the caller; `size` is known if the server announced it. */
export class MediaTooLarge extends Schema.TaggedError<MediaTooLarge>("@heddle/artifacts/MediaTooLarge")(
  "MediaTooLarge",
  { uri: Schema.String, limit: Schema.Number, size: Schema.optional(Schema.Number) }
) {
  override get message() {
    return `The file is larger than ${this.limit} bytes: ${this.uri}`
  }
}

/** The file was replaced while it was fetched; fetching it again gives the new one. */
export class MediaChanged extends Schema.TaggedError<MediaChanged>("@heddle/artifacts/MediaChanged")("MediaChanged", {
  uri: Schema.String
}) {
  override get message() {
    return `The file was replaced while it was fetched; fetch it again: ${this.uri}`
  }
}

/**
 * The file does not have the listed md5 or size; a fresh list shows whether it was replaced. If the size is too large,
 * `actual` is what was received.
 */
export class MediaCorrupted extends Schema.TaggedError<MediaCorrupted>("@heddle/artifacts/MediaCorrupted")(
  "MediaCorrupted",
  { uri: Schema.String, property: Schema.Literal("md5", "size"), expected: Schema.String, actual: Schema.String }
) {
  override get message() {
    return `The file's ${this.property} is ${this.actual}, not ${this.expected}; list and fetch it again: ${this.uri}`
  }
}
