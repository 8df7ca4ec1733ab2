import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { forLocale } from "../messages/Messages.ts"
import { type Command, say } from "./Command.ts"

/** `/help`: what the bot does and the commands for it. */
export const Help: Command<never> = {
  path: "help",
  description: ({ commands }) => commands.help,
  options: () => [],
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: ({ reply }) => Effect.succeed(Option.some(say(forLocale(reply.locale).help)))
}
