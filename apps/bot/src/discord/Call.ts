import type { APIMessage } from "discord.js"
import * as Effect from "effect/Effect"
import { type DiscordError, fromUnknown } from "./DiscordError.ts"

/** A named call to Discord that is aborted when its fiber is interrupted. */
export const call = (
  name: string,
  run: (signal: AbortSignal) => Promise<unknown>
): Effect.Effect<unknown, DiscordError> =>
  Effect.tryPromise({ try: run, catch: fromUnknown(name) }).pipe(Effect.withSpan(`Discord.${name}`))

/** The id of the created object. */
export const idOf = Effect.map((created: unknown) => (created as APIMessage).id)
