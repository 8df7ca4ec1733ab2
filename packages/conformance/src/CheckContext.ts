import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CheckFailure, NoResponse, Skipped } from "./CheckFailure.ts"
import type { Exchange, Request, Response } from "./HttpMessage.ts"
import type { Prerequisite, Settings } from "./Settings.ts"

/** A task that the suite created. */
export interface Task {
  readonly taskId: string
  readonly link: string
  readonly token: string
  /** `{sandbox_url}`: the link without `/acp`; undefined if the link does not end in it. */
  readonly sandboxUrl: string | undefined
}

/** A finished turn on a task: every message that was sent and received. */
export interface Turn {
  readonly task: Task
  readonly initializeResponse: unknown
  readonly loadResponse: unknown
  readonly promptResponse: unknown
  /** Every message of the stream, in order. */
  readonly messages: ReadonlyArray<unknown>
  /** The responses to the POSTs of the turn. */
  readonly posts: ReadonlyArray<{ readonly status: number; readonly text: string }>
}

/** What a check uses to talk to the service. Every exchange is recorded for the report. */
export class CheckContext extends Context.Tag("@heddle/conformance/CheckContext")<
  CheckContext,
  {
    readonly settings: Settings
    /** Sends a request; after a 429 of two seconds or less it waits and sends it once more. */
    readonly send: (request: Request) => Effect.Effect<Response, Skipped | NoResponse>
    /** Sends a request and returns any response, including a 429. */
    readonly sendOnce: (request: Request) => Effect.Effect<Response, Skipped | NoResponse>
    /** The value of a setting, or the access token that replaced it; skips the check without one. */
    readonly setting: (name: Prerequisite) => Effect.Effect<string, Skipped>
    /** The next unused value of a repeatable setting; skips the check without one. */
    readonly takeSetting: (name: Prerequisite) => Effect.Effect<string, Skipped>
    /** Masks a text in the report. */
    readonly mask: (secret: string) => Effect.Effect<void>
    /** The newest refresh token. */
    readonly refreshToken: Effect.Effect<string, Skipped>
    /** Stores a newer refresh token. */
    readonly storeRefreshToken: (refreshToken: string) => Effect.Effect<void>
    /** Stores a newer access token, which requests send from now on. */
    readonly storeAccessToken: (accessToken: string) => Effect.Effect<void>
    /** Adds an exchange to the report that did not go through `send`. */
    readonly record: (exchange: Exchange) => Effect.Effect<void>
    /** One task with link and token, shared by all checks that only read. */
    readonly task: Effect.Effect<Task, CheckFailure>
    /** Another task, whose link and token stay the newest: nothing reads it again (4.11). */
    readonly channelTask: Effect.Effect<Task, CheckFailure>
    /** One turn on that other task, shared by all checks of it. */
    readonly turn: Effect.Effect<Turn, CheckFailure>
    /** The response to a code that does not exist, requested once because services count wrong guesses. */
    readonly unknownCode: Effect.Effect<Response, CheckFailure>
  }
>() {}
