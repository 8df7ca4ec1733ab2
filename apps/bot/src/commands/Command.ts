import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { APIApplicationCommandBasicOption } from "discord.js"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Action } from "../access/Policy.ts"
import type { DiscordError } from "../discord/DiscordError.ts"
import type { Invoked } from "../discord/DiscordEvent.ts"
import type { MessageBody } from "../discord/MessageBody.ts"

/** A slash command: how it is registered, who may use it, what it does. */
export interface Command<R> {
  /** One word, or a group and a word: `task new`. */
  readonly path: string
  readonly description: string
  readonly options: ReadonlyArray<APIApplicationCommandBasicOption>
  /** What the policy is asked before anything is done; none when the command has nothing to act on. */
  readonly action: (event: Invoked) => Effect.Effect<Option.Option<Action>, never, R>
  /** The command is acknowledged by `handle`, after what it asks for is stored; without it, before anything is done. */
  readonly acknowledges?: boolean
  /** Makes the private answer; none when whatever was started acknowledges, and answers later. */
  readonly handle: (
    event: Invoked,
    acknowledge: Effect.Effect<void, DiscordError>
  ) => Effect.Effect<Option.Option<MessageBody>, DiscordError | OpenApiError, R>
}

/** An answer of words alone. */
export const say = (content: string): MessageBody => ({ content })
