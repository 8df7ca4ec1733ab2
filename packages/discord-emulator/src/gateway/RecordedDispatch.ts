import { channel } from "node:diagnostics_channel"

/** An event that a session of the gateway was sent. */
export interface RecordedDispatch {
  readonly event: string
  readonly data: object
}

/** Every dispatch, for who listens on this process: `subscribe("discord-emulator:dispatch", …)`. */
export const recordedDispatches = channel("discord-emulator:dispatch")
