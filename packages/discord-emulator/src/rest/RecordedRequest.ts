import { channel } from "node:diagnostics_channel"

/** A request of the bot, or of `Actor.request`, and its response. Faults do not change the recorded response. */
export interface RecordedRequest {
  readonly method: string
  /** The path below the version, such as `/channels/1/messages`. */
  readonly path: string
  /** The JSON of the request, also from a form. */
  readonly sent: unknown
  readonly status: number
  /** The JSON of the response. */
  readonly body?: unknown
}

/** The diagnostics channel of all requests: `subscribe("discord-emulator:request", …)`. */
export const recordedRequests = channel("discord-emulator:request")
