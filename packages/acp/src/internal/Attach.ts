import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ConnectionLost, InvalidAnswer, type TransportError, UnsupportedVersion } from "../AcpError.ts"
import type { Connection } from "../Connection.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as Wire from "../schema/generated/AcpSchema.ts"

/** The only protocol version spoken. */
export const protocolVersion = 1

/** Reads the result of a call; a malformed one names the places, never the values. */
export const read = <A, I>(method: string, schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "preserve" })
  return (result: unknown): Effect.Effect<A, InvalidAnswer> =>
    Effect.suspend(() =>
      Either.match(decode(result ?? {}), {
        onRight: Effect.succeed,
        onLeft: (error) => {
          const places = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.join(".") || "(all)")
          return Effect.fail(new InvalidAnswer({ method, description: places.join(", ") }))
        }
      })
    ).pipe(
      // What throws instead of telling a place, see `reader`.
      Effect.catchAllDefect(() => Effect.fail(new InvalidAnswer({ method, description: "(all)" })))
    )
}

/** What this client is able to do for an agent; file and terminal access are not offered. */
export interface Introduction {
  readonly clientInfo?: Wire.Implementation | undefined
  /** Whether questions and forms reach a person. */
  readonly questions: boolean
  readonly extensionPrefix: string
}

/**
 * Introduces this client.
 *
 * A service may start its agent first and says itself when that fails, so it is waited for longer than such a start takes.
 */
export const initialize = (
  connection: Connection,
  { clientInfo, extensionPrefix, questions }: Introduction
): Effect.Effect<Wire.InitializeResponse, JsonRpc.RpcError | TransportError | InvalidAnswer | UnsupportedVersion> =>
  connection
    .request(
      "initialize",
      {
        protocolVersion,
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          ...(questions
            ? { elicitation: { form: {} }, _meta: { [extensionPrefix.replace(/^_/, "")]: { question: true } } }
            : {})
        },
        ...(clientInfo === undefined ? {} : { clientInfo })
      },
      { patience }
    )
    .pipe(
      inTime("initialize", "90 seconds"),
      Effect.filterOrFail(
        (answer) => !isObject(answer) || !("protocolVersion" in answer) || answer.protocolVersion === protocolVersion,
        (answer) =>
          new UnsupportedVersion({
            offered: protocolVersion,
            answered: isObject(answer) && "protocolVersion" in answer ? answer.protocolVersion : undefined
          })
      ),
      Effect.flatMap(readInitialize)
    )

/** How a session is taken up. */
export interface Taking {
  readonly sessionId: string
  readonly cwd: string
  /** Takes a session up without its history where the agent offers that. */
  readonly resume: boolean
  /** Runs when the request goes out: everything the session says until `end` is its replay. */
  readonly begin: () => void
  /** Runs in channel order with the answer. */
  readonly end: (replayed: boolean) => void
}

/** Takes up a session: by `session/load` where offered, else, or where preferred, by `session/resume`. */
export const take = (
  connection: Connection,
  capabilities: Wire.AgentCapabilities | undefined,
  { sessionId, cwd, resume, begin, end }: Taking
): Effect.Effect<Wire.LoadSessionResponse, JsonRpc.RpcError | TransportError | InvalidAnswer> => {
  const resumes = isObject(capabilities?.sessionCapabilities?.resume) && (resume || capabilities?.loadSession !== true)
  const method = resumes ? "session/resume" : "session/load"
  return Effect.suspend(() => {
    if (!resumes) begin()
    return connection.request(
      method,
      { sessionId, cwd, mcpServers: [] },
      // A second load on top of one that arrived would tell everything twice.
      { onReply: (reply) => end(!resumes && !JsonRpc.isFailure(reply)), patience }
    )
  }).pipe(inTime(method, "120 seconds"), Effect.flatMap(readLoad(method)))
}

/** Begins a session of the agent's own naming; `begun` runs in channel order with the answer. */
export const begin = (
  connection: Connection,
  cwd: string,
  begun: (sessionId: string) => void
): Effect.Effect<Wire.NewSessionResponse, JsonRpc.RpcError | TransportError | InvalidAnswer> =>
  connection
    .request(
      "session/new",
      { cwd, mcpServers: [] },
      {
        patience,
        onReply: (reply) => {
          const result = JsonRpc.isFailure(reply) ? undefined : reply.result
          if (isObject(result) && "sessionId" in result && typeof result.sessionId === "string") begun(result.sessionId)
        }
      }
    )
    .pipe(inTime("session/new", "120 seconds"), Effect.flatMap(readNew))

const readInitialize = read("initialize", Wire.InitializeResponse)
const readNew = read("session/new", Wire.NewSessionResponse)
const readLoad = (method: string) => read(method, Wire.LoadSessionResponse)

const patience = "3 seconds"

const inTime = (method: string, duration: "90 seconds" | "120 seconds") =>
  Effect.timeoutFail({
    duration,
    onTimeout: () => new ConnectionLost({ description: `The agent does not answer ${method}`, sent: true })
  })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
