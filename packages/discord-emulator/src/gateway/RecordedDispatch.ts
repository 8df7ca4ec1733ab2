import { channel } from "node:diagnostics_channel"

/** An event that the gateway sent to a session. */
export interface RecordedDispatch {
  readonly event: string
  readonly data: object
}

/** The diagnostics channel of all events: `subscribe("discord-emulator:dispatch", …)`. */
export const recordedDispatches = channel("discord-emulator:dispatch")
