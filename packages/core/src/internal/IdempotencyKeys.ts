import { acceptIdempotencyKey } from "../api/IdempotencyKeyHeader.ts"

/** Whether a service keeps idempotency keys; `auto` finds out from its answers. */
export type Setting = "auto" | boolean

/** What a client knows of its service: whether it keeps idempotency keys, which the document does not promise. */
export interface IdempotencyKeys {
  readonly areKept: () => boolean
  /** Whether the setting, or an answer of the service itself, has decided it. */
  readonly isDecided: () => boolean
  /** Learns from an answer of the service. */
  readonly observe: (answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string | undefined>>
  }) => void
}

export const make = (setting: Setting): IdempotencyKeys => {
  let kept = setting === "auto" ? undefined : setting
  return {
    areKept: () => kept === true,
    isDecided: () => kept !== undefined,
    observe: ({ headers, status }) => {
      if (setting !== "auto" || kept === true) return
      if (headers[acceptIdempotencyKey]?.trim().toLowerCase() === "true") kept = true
      // A 5xx may be a gateway's, which says nothing about the service behind it.
      else if (status < 500) kept = false
    }
  }
}
