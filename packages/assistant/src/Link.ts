import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { createParser } from "eventsource-parser"
import { AssistantError } from "./AssistantError.ts"
import * as Wire from "@heddle/core/api/AssistantProtocol"

/** The program's side of the channel to the service. */
export interface Link {
  /** Reads events until the service takes the credential back; connects again whenever the stream breaks. */
  readonly listen: (receive: (event: Wire.Event) => void) => Effect.Effect<never, AssistantError>
  /** Tells the service something, again and again until it has heard it. False when it does not want it any more. */
  readonly tell: (path: string, body: unknown) => Effect.Effect<boolean, AssistantError>
  /** Says once that the program lives, and how its agent is. */
  readonly pulse: (problem: string | null) => Effect.Effect<void>
}

export interface Options {
  /** The service's address, without a trailing slash. */
  readonly service: string
  readonly token: Redacted.Redacted
  readonly instance: string
}

/** Makes the link; nothing is sent yet. */
export const make = ({ instance, service, token }: Options): Link => {
  const headers = { authorization: `Bearer ${Redacted.value(token)}`, [Wire.instanceHeader]: instance }
  let everConnected = false

  const judge = (response: Response): void => {
    const { status } = response
    if (status === 401) {
      throw new AssistantError({
        setting: "HEDDLE_ASSISTANT_TOKEN",
        problem: "the service does not know this credential, or it was revoked",
        fix: "Make a new one with: heddle-server assistant create --user ID"
      })
    }
    // Behind an address that worked before, a proxy may answer anything while the service is away.
    if (!everConnected && (status < 200 || (status >= 300 && status < 500 && status !== 408 && status !== 429))) {
      throw new AssistantError({
        setting: "--service",
        problem: `${service} answers with status ${status}, which no service of this kind does`,
        fix: "Give the address that the service's ready line names."
      })
    }
  }

  const post = (path: string, body: unknown) =>
    attempt((signal) =>
      fetch(`${service}${Wire.path}${path}`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "manual",
        signal
      }).then(async (response) => {
        await response.body?.cancel()
        judge(response)
        return response.status
      })
    ).pipe(Effect.timeoutFail({ duration: "30 seconds", onTimeout: () => new Away({ reason: "no answer in time" }) }))

  const read = (receive: (event: Wire.Event) => void) =>
    attempt(async (interrupted) => {
      const over = new AbortController()
      interrupted.addEventListener("abort", () => over.abort())
      const watchdog = setTimeout(() => over.abort(new Error("the service went silent")), silence)
      watchdog.unref()
      try {
        const response = await fetch(`${service}${Wire.path}/events`, {
          headers: { ...headers, accept: "text/event-stream" },
          redirect: "manual",
          signal: over.signal
        })
        judge(response)
        if (response.status !== 200 || response.body === null) throw new Error(`status ${response.status}`)
        const parser = createParser({
          onEvent: ({ data, event }) => {
            const decoded = decode({ event, data })
            if (decoded._tag === "None") return
            everConnected = true
            receive(decoded.value)
          }
        })
        const text = new TextDecoder()
        for await (const piece of response.body) {
          watchdog.refresh()
          parser.feed(text.decode(piece, { stream: true }))
        }
      } finally {
        clearTimeout(watchdog)
      }
    })

  return {
    listen: (receive) => {
      let connected = false
      const once = read((event) => {
        connected = true
        receive(event)
      }).pipe(
        Effect.zipRight(Effect.fail(new Away({ reason: "the service ended the connection" }))),
        Effect.tapErrorTag("Away", ({ reason }) =>
          Effect.logWarning(`the service is not connected (${reason}); trying again`)
        )
      )
      // A stream that stood begins the waiting times anew.
      const round = once.pipe(
        Effect.retry({
          schedule: backoff,
          while: (error) => error._tag === "Away" && !connected
        }),
        Effect.catchTag("Away", () =>
          Effect.sleep(Duration.millis(200 + Math.random() * 300)).pipe(
            Effect.andThen(Effect.sync(() => void (connected = false)))
          )
        )
      )
      return Effect.forever(round)
    },

    tell: (path, body) =>
      post(path, body).pipe(
        Effect.flatMap((status) => {
          if (status < 300) return Effect.succeed(true)
          return status === 404 || status === 400 || status === 413
            ? Effect.as(Effect.logWarning(`the service did not take ${path} (status ${status})`), false)
            : Effect.fail(new Away({ reason: `status ${status}` }))
        }),
        Effect.retry({ schedule: backoff, while: (error) => error._tag === "Away" }),
        // The schedule never ends.
        Effect.catchTag("Away", (away) => Effect.die(away))
      ),

    pulse: (problem) =>
      post("/condition", { problem }).pipe(
        // The stream's reader learns the same, and says it.
        Effect.catchAll((error) => Effect.logDebug("a sign of life did not arrive", error._tag)),
        Effect.asVoid
      )
  }
}

/** The service cannot be reached now. */
class Away extends Schema.TaggedError<Away>()("Away", { reason: Schema.String }) {}

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, Away | AssistantError> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => (error instanceof AssistantError ? error : new Away({ reason: reasonOf(error) }))
  })

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code
  return cause instanceof Error ? cause.message : Cause.pretty(Cause.fail(cause))
}

/** Three pings of the service. */
const silence = 45_000

const backoff = Schedule.exponential("250 millis").pipe(
  Schedule.either(Schedule.spaced("10 seconds")),
  Schedule.jittered
)

const json = Schema.parseJson
const decode = Schema.decodeUnknownOption(
  Schema.Union(
    Schema.Struct({ event: Schema.Literal("welcome"), data: json(Wire.Welcome) }),
    Schema.Struct({ event: Schema.Literal("message"), data: json(Wire.Message) }),
    Schema.Struct({ event: Schema.Literal("answer"), data: json(Wire.Answered) }),
    Schema.Struct({
      event: Schema.Literal("replaced", "revoked"),
      data: json(Schema.Record({ key: Schema.String, value: Schema.Never }))
    })
  )
)
