import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { forLocale } from "../messages/Messages.ts"
import { type Command, say } from "./Command.ts"

/** `/help`: what the bot does and the commands for it. */
export const Help: Command<never> = {
  path: "help",
  description: "What this bot does and how",
  options: [],
  action: () => Effect.succeedSome({ _tag: "OwnAccount" }),
  handle: ({ reply }) => Effect.succeed(Option.some(say(forLocale(reply.locale).help)))
}
