import * as Context from "effect/Context"

/** How the running bot behaves, where it is not decided elsewhere. */
export class BotSettings extends Context.Tag("@heddle/bot/model/BotSettings")<
  BotSettings,
  {
    /** The base address of the service. */
    readonly baseUrl: string
    /** The least time between two edits of a growing answer, in milliseconds; Discord's limits may ask for more. */
    readonly editIntervalMs: number
    /** How long a person has to answer what the agent asks, in milliseconds. */
    readonly answerDeadlineMs: number
    /** Calls to Discord in any second; Discord allows 50, and more only to bots that it lets. */
    readonly requestsPerSecond: number
    /** How old a message may be to be edited, in milliseconds; of older ones Discord takes few edits. */
    readonly rollAfterMs: number
    /** How long what has to get on may stand still until the bot is not ready, in milliseconds. */
    readonly stuckAfterMs: number
  }
>() {}
