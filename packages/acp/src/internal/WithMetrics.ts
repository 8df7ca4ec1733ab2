import * as Effect from "effect/Effect"
import * as Metrics from "../Metrics.ts"
import type { Inbound, Transport } from "../Transport.ts"

/** Counts what a transport receives and sends. */
export const withMetrics = <T extends Transport>(transport: T): T => ({
  ...transport,
  run: (receive: (inbound: Inbound) => void) =>
    Effect.suspend(() => {
      let open = 0
      const setOpen = (now: 0 | 1) => {
        if (now !== open) Metrics.openChannels.unsafeModify(now - open, [])
        open = now
      }
      return transport
        .run((inbound) => {
          switch (inbound._tag) {
            case "Message":
              Metrics.messagesReceived.unsafeUpdate(1, [])
              break
            case "Skipped":
              Metrics.skipped.unsafeUpdate(1, [])
              break
            case "Connected":
              setOpen(1)
              break
            case "Interrupted":
              Metrics.interruptions.unsafeUpdate(1, [])
              setOpen(0)
          }
          receive(inbound)
        })
        .pipe(Effect.ensuring(Effect.sync(() => setOpen(0))))
    }),
  send: (...[message, isWanted]: Parameters<T["send"]>) =>
    Effect.suspend(() => {
      Metrics.messagesSent.unsafeUpdate(1, [])
      return transport.send(message, isWanted)
    })
})
