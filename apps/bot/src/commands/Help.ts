import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Command, say } from "./Command.ts"

/** `/help`: what the bot does and the commands for it. */
export const Help: Command<never> = {
  path: "help",
  describe: ({ commands }) => ({ ...commands.help, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: (_, messages) => Effect.succeed(Option.some(say(messages.help)))
}
