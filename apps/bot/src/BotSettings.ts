import * as Context from "effect/Context"

/** How the running bot behaves, where it is not decided elsewhere. */
export class BotSettings extends Context.Tag("@heddle/bot/BotSettings")<
  BotSettings,
  {
    /** The base address of the service. */
    readonly baseUrl: string
    /** The least time between two edits of one thread, in milliseconds. */
    readonly editIntervalMs: number
    /** How long a person has to answer what the agent asks, in milliseconds. */
    readonly answerDeadlineMs: number
  }
>() {}
