import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Mismatch, Skipped } from "./Check.ts"
import type { Prerequisite, Settings } from "./Settings.ts"

/** A request to the service; by default with the access token. */
export interface Request {
  readonly method: string
  /** Below `/openapi/v2`, or a whole address. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly chunked?: boolean
  /** The setting whose value is the bearer token, or the token itself, or none. */
  readonly token?: TokenSetting | { readonly token: string } | "none"
}

/** Settings that are access tokens. */
export type TokenSetting = Extract<Prerequisite, `${string}ccessToken`>

/** An answer of the service. */
export interface Answer {
  readonly request: Request
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly bytes: Uint8Array
  /** The body read as JSON; absent when it is none. */
  readonly json: unknown
}

/** What was sent and what came, without secrets, for the report. */
export interface Exchange {
  readonly sent: string
  readonly came: string
}

/** No answer came: the connection failed or the time was over. */
export class Unanswered extends Data.TaggedError("Unanswered")<{ readonly reason: string }> {}

/** A task that the suite made. */
export interface Task {
  readonly taskId: string
  readonly link: string
  readonly token: string
  /** `{sandbox_url}`: the link without `/acp`; absent when it has none. */
  readonly sandboxUrl: string | undefined
}

/** A finished prompt round and everything that came with it. */
export interface Round {
  readonly task: Task
  readonly initialized: unknown
  readonly loaded: unknown
  readonly ended: unknown
  /** Every message of the stream in its order. */
  readonly messages: ReadonlyArray<unknown>
  /** How the POSTs of the round were answered. */
  readonly posts: ReadonlyArray<{ readonly status: number; readonly text: string }>
}

type Failure = Mismatch | Skipped | Unanswered

/** What a check works with. Every exchange is recorded for the report. */
export class Wire extends Context.Tag("@heddle/conformance/Wire")<
  Wire,
  {
    readonly settings: Settings
    /** Sends a request; waits once where the service says 429 for a moment. */
    readonly send: (request: Request) => Effect.Effect<Answer, Skipped | Unanswered>
    /** The same, but a 429 is an answer like any other. */
    readonly sendOnce: (request: Request) => Effect.Effect<Answer, Skipped | Unanswered>
    /** The value of a setting; skips the check when it was not given. */
    readonly given: (name: Prerequisite) => Effect.Effect<string, Skipped>
    /** The next unused value of a repeatable setting; skips the check when there is none. */
    readonly take: (name: Prerequisite) => Effect.Effect<string, Skipped>
    /** Keeps a text out of the report. */
    readonly hide: (secret: string) => Effect.Effect<void>
    /** The newest refresh token, and a newer one. */
    readonly refreshToken: Effect.Effect<string, Skipped>
    readonly renewed: (refreshToken: string) => Effect.Effect<void>
    /** Adds to the report what did not go through `send`. */
    readonly record: (exchange: Exchange) => Effect.Effect<void>
    /** One task for all checks that only look, with link and token. */
    readonly task: Effect.Effect<Task, Failure>
    /** One prompt round on that task for all checks that look at it. */
    readonly round: Effect.Effect<Round, Failure>
    /** The answer to a code that does not exist: once for all checks, since guesses are counted. */
    readonly unknownCode: Effect.Effect<Answer, Failure>
  }
>() {}
