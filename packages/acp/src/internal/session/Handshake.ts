import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ConnectionLost, InvalidAnswer, type TransportError, UnsupportedVersion } from "../../AcpError.ts"
import type { Connection } from "../../Connection.ts"
import * as JsonRpc from "../../JsonRpc.ts"
import * as Wire from "../../schema/generated/AcpSchema.ts"

/** The only protocol version spoken. */
const protocolVersion = 1

/** Decodes the result of a call; the error names the places that do not fit, never the values. */
const read = <A, I>(method: string, schema: Schema.Schema<A, I>) => {
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
      // A union throws at a value without a usable `toString`, see `SafeDecode`.
      Effect.catchAllDefect(() => Effect.fail(new InvalidAnswer({ method, description: "(all)" })))
    )
}

/** What `initialize` says of this client; file and terminal access are not offered. */
export interface ClientOptions {
  readonly clientInfo?: Wire.Implementation | undefined
  /** Whether questions and forms reach a person. */
  readonly questions: boolean
  readonly extensionPrefix: string
}

/**
 * Initializes the connection. A service may start its agent first, so the timeout is longer than such a start takes.
 */
export const initialize = (
  connection: Connection,
  { clientInfo, extensionPrefix, questions }: ClientOptions
): Effect.Effect<Wire.InitializeResponse, JsonRpc.RpcError | TransportError | InvalidAnswer | UnsupportedVersion> =>
  connection
    .request(
      "initialize",
      {
        protocolVersion,
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
          ...(questions
            ? { elicitation: { form: {} }, _meta: { [extensionPrefix.replace(/^_/, "")]: { question: true } } }
            : {})
        },
        ...(clientInfo === undefined ? {} : { clientInfo })
      },
      { unconfirmedTimeout }
    )
    .pipe(
      answerWithin("initialize", "90 seconds"),
      Effect.map(withNumericVersion),
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

/** How a session is loaded or resumed. */
export interface LoadOptions {
  readonly sessionId: string
  readonly cwd: string
  /** Prefers `session/resume`, which replays nothing. */
  readonly resume: boolean
  /** Runs when `session/load` is sent: all updates until `onReply` are the replay. */
  readonly onSend: () => void
  /** Runs in channel order with the response; `replayed` says whether the whole history came before it. */
  readonly onReply: (replayed: boolean) => void
}

/** Takes up a session by `session/load` where offered, or by `session/resume` where preferred or alone offered. */
export const loadOrResume = (
  connection: Connection,
  capabilities: Wire.AgentCapabilities | undefined,
  { cwd, onReply, onSend, resume, sessionId }: LoadOptions
): Effect.Effect<Wire.LoadSessionResponse, JsonRpc.RpcError | TransportError | InvalidAnswer> => {
  const resumes = isObject(capabilities?.sessionCapabilities?.resume) && (resume || capabilities?.loadSession !== true)
  const method = resumes ? "session/resume" : "session/load"
  return Effect.suspend(() => {
    if (!resumes) onSend()
    return connection.request(
      method,
      { sessionId, cwd, mcpServers: [] },
      // A load that arrived is not repeated on its connection.
      { onReply: (reply) => onReply(!resumes && !JsonRpc.isFailure(reply)), unconfirmedTimeout }
    )
  }).pipe(answerWithin(method, "120 seconds"), Effect.flatMap(readLoad(method)))
}

/** Begins a session that the agent names; `onSessionId` runs in channel order with the response. */
export const newSession = (
  connection: Connection,
  cwd: string,
  onSessionId: (sessionId: string) => void
): Effect.Effect<Wire.NewSessionResponse, JsonRpc.RpcError | TransportError | InvalidAnswer> =>
  connection
    .request(
      "session/new",
      { cwd, mcpServers: [] },
      {
        unconfirmedTimeout,
        onReply: (reply) => {
          const result = JsonRpc.isFailure(reply) ? undefined : reply.result
          if (isObject(result) && "sessionId" in result && typeof result.sessionId === "string")
            onSessionId(result.sessionId)
        }
      }
    )
    .pipe(answerWithin("session/new", "120 seconds"), Effect.flatMap(readNew))

/** Some services write integers as texts. */
const withNumericVersion = (answer: unknown): unknown =>
  isObject(answer) && "protocolVersion" in answer && answer.protocolVersion === String(protocolVersion)
    ? { ...answer, protocolVersion }
    : answer

const readInitialize = read("initialize", Wire.InitializeResponse)
const readNew = read("session/new", Wire.NewSessionResponse)
const readLoad = (method: string) => read(method, Wire.LoadSessionResponse)

const unconfirmedTimeout = "3 seconds"

const answerWithin = (method: string, duration: "90 seconds" | "120 seconds") =>
  Effect.timeoutFail({
    duration,
    onTimeout: () => new ConnectionLost({ description: `The agent does not answer ${method}`, sent: true })
  })

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
