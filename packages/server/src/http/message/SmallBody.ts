import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Larger than any form of this service. */
const maxBytes = 64 * 1024

/** Reads a body of at most 64 KiB, or less where the service has a lower limit. */
export const withLimit = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(HttpIncomingMessage.MaxBodySize, (size) => {
    const bytes = Math.min(maxBytes, Option.match(size, { onNone: () => maxBytes, onSome: Number }))
    return HttpIncomingMessage.withMaxBodySize(read, Option.some(FileSystem.Size(bytes)))
  })
