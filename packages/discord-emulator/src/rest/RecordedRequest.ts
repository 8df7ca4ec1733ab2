import { channel } from "node:diagnostics_channel"

/** A request of the application, or of a person by `request`, and what it was answered with; faults set by a test are not told. */
export interface RecordedRequest {
  readonly method: string
  /** Below the version, such as `/channels/1/messages`. */
  readonly path: string
  /** The JSON of the request, also out of a form. */
  readonly sent: unknown
  readonly status: number
  /** The JSON of the answer. */
  readonly body?: unknown
}

/** Every exchange, for who listens on this process: `subscribe("discord-emulator:exchange", …)`. */
export const recordedRequests = channel("discord-emulator:exchange")
