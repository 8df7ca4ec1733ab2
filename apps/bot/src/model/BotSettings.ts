import * as Context from "effect/Context"

/** The settings of the running bot. */
export class BotSettings extends Context.Tag("@heddle/bot/model/BotSettings")<
  BotSettings,
  {
    /** The base address of the service. */
    readonly baseUrl: string
    /** The shortest time between two edits of a growing answer, in milliseconds; Discord's limits may require more. */
    readonly editIntervalMs: number
    /** How long a person may take to answer the agent of a task where the service does not say it, in milliseconds. */
    readonly answerDeadlineMs: number
    /** How long a task's channel with heartbeats may be silent, in milliseconds. */
    readonly channelSilenceMs: number
    /** What is done about a new task's prompt that the service neither runs nor confirms to hold. */
    readonly initialPrompt: "auto" | "send"
    /** Whether the service keeps idempotency keys; `auto`: as its answers say. */
    readonly idempotencyKeys: "auto" | boolean
    /** How long a working agent may say nothing before its thread tells that, in milliseconds. */
    readonly agentSilenceMs: number
    /** How long messages wait for the end of a run that was not confirmed as stopped, in milliseconds. */
    readonly stoppedRunMs: number
    /**
     * How long a thread listens to its agent after an answer, and how often it looks afterwards whether the task is still
     * at work, in milliseconds.
     */
    readonly lateOutputMs: number
    /** Calls to Discord per second; Discord allows 50, and more to approved bots. */
    readonly requestsPerSecond: number
    /** The age up to which messages are edited, in milliseconds; Discord limits edits of older ones. */
    readonly rollAfterMs: number
    /** How long due work may make no progress before the bot is not ready, in milliseconds. */
    readonly stuckAfterMs: number
  }
>() {}
