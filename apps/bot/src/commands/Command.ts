import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { APIApplicationCommandBasicOption } from "discord.js"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Action } from "../access/Policy.ts"
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
  /** Makes the private answer; none when whatever was started answers later. The command is acknowledged before. */
  readonly handle: (event: Invoked) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/** An answer of words alone. */
export const say = (content: string): MessageBody => ({ content })
