import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { APIApplicationCommandBasicOption } from "discord.js"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Action } from "../access/Policy.ts"
import type { Invoked } from "../discord/DiscordEvent.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"

/** A slash command: how it is registered, who may use it, what it does. */
export interface Command<R> {
  /** One word, or a group and a word: `task new`. */
  readonly path: string
  /** What Discord shows of it, in each language; only words differ between them. */
  readonly describe: (messages: Messages) => Described
  /** What the policy is asked before anything is done; none when the command has nothing to act on. */
  readonly action: (event: Invoked) => Effect.Effect<Option.Option<Action>, never, R>
  /** Makes the private answer, in the words of the person's language; none when whatever was started answers later. The command is acknowledged before. */
  readonly handle: (event: Invoked, messages: Messages) => Effect.Effect<Option.Option<MessageBody>, OpenApiError, R>
}

/** A command as Discord lists it; descriptions have at most 100 characters. */
export interface Described {
  readonly description: string
  readonly options: ReadonlyArray<APIApplicationCommandBasicOption>
}

/** An answer of words alone. */
export const say = (content: string): MessageBody => ({ content })
