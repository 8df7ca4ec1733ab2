import type { APIMessage } from "discord.js"
import * as Effect from "effect/Effect"
import { type DiscordError, fromUnknown } from "./DiscordError.ts"

/** One call to Discord by its name, ended with the fiber that waits for it. */
export const call = (
  name: string,
  run: (signal: AbortSignal) => Promise<unknown>
): Effect.Effect<unknown, DiscordError> =>
  Effect.tryPromise({ try: run, catch: fromUnknown(name) }).pipe(Effect.withSpan(`Discord.${name}`))

/** The id of what a call has made. */
export const idOf = Effect.map((created: unknown) => (created as APIMessage).id)
