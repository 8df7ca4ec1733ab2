import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Larger than any form of this service. */
const most = 64 * 1024

/** Reads a body of at most 64 KiB, or fewer where the service takes fewer. */
export const limited = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(HttpIncomingMessage.MaxBodySize, (size) => {
    const bytes = Math.min(most, Option.match(size, { onNone: () => most, onSome: Number }))
    return HttpIncomingMessage.withMaxBodySize(read, Option.some(FileSystem.Size(bytes)))
  })
